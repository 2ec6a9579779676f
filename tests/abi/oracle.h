// The oracle of the C tests: an array of routes, and a lookup that tries all of them.
#ifndef FINGERPOST_TESTS_ABI_ORACLE_H
#define FINGERPOST_TESTS_ABI_ORACLE_H

#include <fingerpost.h>
#include <string.h>

enum { ORACLE_MOST = 512 };

typedef struct oracle {
    int bytes; // bytes of an address, 4 or 16
    size_t count;
    fingerpost_route routes[ORACLE_MOST];
} oracle;

static int same_prefix(const fingerpost_prefix* a, const fingerpost_prefix* b) {
    return a->family == b->family && a->length == b->length &&
           memcmp(a->address, b->address, sizeof a->address) == 0;
}

static inline int family_of(const oracle* o) {
    return o->bytes == 4 ? FINGERPOST_IPV4 : FINGERPOST_IPV6;
}

static int bit_of(const uint8_t* address, int number) {
    return address[number / 8] >> (7 - number % 8) & 1;
}

static int holds(const fingerpost_prefix* p, const uint8_t* address) {
    for (int i = 0; i < p->length; ++i)
        if (bit_of(p->address, i) != bit_of(address, i))
            return 0;
    return 1;
}

// Returns the index of the longest route that contains the address and is shorter than `below` bits, or -1.
static int oracle_longest(const oracle* o, const uint8_t* address, int below) {
    int best = -1;
    for (size_t i = 0; i < o->count; ++i)
        if (o->routes[i].prefix.length < below && holds(&o->routes[i].prefix, address) &&
            (best < 0 || o->routes[i].prefix.length > o->routes[best].prefix.length))
            best = (int)i;
    return best;
}

static uint32_t oracle_lookup(const oracle* o, const uint8_t* address) {
    const int found = oracle_longest(o, address, 129);
    return found < 0 ? FINGERPOST_NO_ROUTE : o->routes[found].next_hop;
}

static inline int oracle_has_longer(const oracle* o, int length) {
    for (size_t i = 0; i < o->count; ++i)
        if (o->routes[i].prefix.length > length)
            return 1;
    return 0;
}

static int oracle_find(const oracle* o, const fingerpost_prefix* p) {
    for (size_t i = 0; i < o->count; ++i)
        if (same_prefix(&o->routes[i].prefix, p))
            return (int)i;
    return -1;
}

static void oracle_announce(oracle* o, const fingerpost_prefix* p, uint32_t next_hop) {
    int at = oracle_find(o, p);
    if (at < 0)
        at = (int)o->count++;
    o->routes[at].prefix = *p;
    o->routes[at].next_hop = next_hop;
}

// Returns 0 when the route does not exist.
static inline int oracle_withdraw(oracle* o, const fingerpost_prefix* p) {
    const int at = oracle_find(o, p);
    if (at < 0)
        return 0;
    o->routes[at] = o->routes[--o->count];
    return 1;
}

#endif
