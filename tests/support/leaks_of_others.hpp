// Leaks of other libraries, which the leak sanitizer must not report. For one source of a program.
#pragma once

// libmaxminddb 1.7 does not free what it has read of metadata that it then refuses.
extern "C" const char* __lsan_default_suppressions() { // NOLINT: the sanitizer gives the name
    return "leak:libmaxminddb.so";
}
