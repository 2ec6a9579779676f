// Helpers for the C tests: checks that print where they failed, a count of checks, and random numbers.
#ifndef FINGERPOST_TESTS_ABI_CHECKS_H
#define FINGERPOST_TESTS_ABI_CHECKS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long checks_made;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        ++checks_made;                                                                                       \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

// Prints how many checks ran; the test fails when they are too few.
static int finish(unsigned long least) {
    printf("%lu checks\n", checks_made);
    return checks_made >= least ? 0 : 1;
}

// Writes a template for mkstemp() or mkdtemp() in the folder for temporary files.
static inline void name_temporary(char* to, size_t size) {
    const char* const folder = getenv("TMPDIR");
    snprintf(to, size, "%s/fingerpost-XXXXXX", folder == NULL ? "/tmp" : folder);
}

// xorshift64, which gives the same numbers on every machine.
static inline uint32_t random_number(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

#endif
