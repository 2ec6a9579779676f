// Suppressions for leaks in other libraries. This file is linked into the programs in which the leak
// sanitizer reports them.

// libmaxminddb 1.7 does not free what it has read of metadata that it then refuses.
extern "C" const char* __lsan_default_suppressions() { // NOLINT: the sanitizer gives the name
    return "leak:libmaxminddb.so";
}
