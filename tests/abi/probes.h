// Random routes for the C tests, and the addresses at which wrong answers are most likely.
#ifndef FINGERPOST_TESTS_ABI_PROBES_H
#define FINGERPOST_TESTS_ABI_PROBES_H

#include "tests/abi/checks.h"
#include "tests/abi/oracle.h"

enum { PROBES = 4 * ORACLE_MOST };

// Nested and adjacent prefixes: they differ in few bits, at the start, around byte 4 and at the end of the
// address.
static fingerpost_prefix random_prefix(const oracle* o, uint64_t* seed) {
    fingerpost_prefix p;
    memset(&p, 0, sizeof p);
    const int bits = o->bytes * 8;
    p.family = (uint8_t)family_of(o);
    p.length = (uint8_t)(random_number(seed) % 4 == 0 ? random_number(seed) % (unsigned)(bits + 1)
                                                      : (unsigned)bits - random_number(seed) % 12);
    for (int i = 0; i < o->bytes; ++i)
        p.address[i] = i == 3 || i >= o->bytes - 2 ? (uint8_t)(random_number(seed) & 0x83) : 0x20;
    for (int i = p.length; i < bits; ++i)
        p.address[i / 8] &= (uint8_t) ~(1u << (7 - i % 8));
    return p;
}

// Steps to the next or previous address. The space wraps around.
static void step(uint8_t* address, int bytes, int by) {
    for (int i = bytes - 1; i >= 0; --i) {
        address[i] = (uint8_t)(address[i] + by);
        if (address[i] != (by > 0 ? 0x00 : 0xff))
            return;
    }
}

// The first and last address of each route and their neighbours outside. `probes` has room for `bytes` bytes
// per address.
static size_t make_probes(const oracle* o, uint8_t* probes) {
    size_t count = 0;
    for (size_t i = 0; i < o->count; ++i) {
        uint8_t edge[2][16];
        memcpy(edge[0], o->routes[i].prefix.address, 16);
        memcpy(edge[1], edge[0], 16);
        for (int b = o->routes[i].prefix.length; b < o->bytes * 8; ++b)
            edge[1][b / 8] |= (uint8_t)(1u << (7 - b % 8));
        for (int side = 0; side < 2; ++side) {
            memcpy(probes + o->bytes * (int)count++, edge[side], (size_t)o->bytes);
            step(edge[side], o->bytes, side == 0 ? -1 : 1);
            memcpy(probes + o->bytes * (int)count++, edge[side], (size_t)o->bytes);
        }
    }
    return count;
}

// The first and the last 64 bits of IPv6 addresses, in host order.
static inline void to_halves(const uint8_t* addresses, size_t count, uint64_t* first, uint64_t* low) {
    for (size_t i = 0; i < count; ++i) {
        first[i] = low[i] = 0;
        for (int b = 0; b < 8; ++b) {
            first[i] = first[i] << 8 | addresses[16 * i + (size_t)b];
            low[i] = low[i] << 8 | addresses[16 * i + 8 + (size_t)b];
        }
    }
}

// IPv4 addresses in host order.
static void to_numbers(const uint8_t* addresses, size_t count, uint32_t* numbers) {
    for (size_t i = 0; i < count; ++i, addresses += 4)
        numbers[i] = (uint32_t)addresses[0] << 24 | (uint32_t)addresses[1] << 16 |
                     (uint32_t)addresses[2] << 8 | addresses[3];
}

#endif
