// Leaks of other libraries, which the leak sanitizer must not report. A part of the programs that it finds
// them in.

// libmaxminddb 1.7 does not free what it has read of metadata that it then refuses.
extern "C" const char* __lsan_default_suppressions() { // NOLINT: the sanitizer gives the name
    return "leak:libmaxminddb.so";
}
