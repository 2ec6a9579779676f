// SAIL_B: a bitmap for each prefix length up to 24. A lookup first finds the length, then reads the next hop.
//
// SAIL splits a lookup in two ways. First, one bit for each possible prefix of a length is enough to find the
// length of the longest match: all 25 bitmaps take 4 MiB for any number of routes and stay in the cache. Only
// one next hop is then read from an array, which may be large. Second, the few routes longer than /24 are
// stored in chunks of 256 next hops.
//
//     B_24 .. B_0   a bit: a route of exactly this length exists; in B_24 also: longer routes are in it
//     N_24 .. N_0   a word: the next hop; for B_24 also: the number of a chunk
//     chunks        256 next hops for the last 8 bits, with routes of 25 to 32 bits expanded
//
// Lookup: up to 25 independent probes of bitmaps, 8 at a time without a branch; then one dependent load, or
// two with a chunk. Memory: 132 MiB for any number of routes, and 1,036 bytes a chunk. Update: one bit and
// one word up to /24, and the affected slots of chunks. Not safe with concurrent readers. Limits: widths up
// to 32; 2^28 - 2 next hops; 8.2 million chunks. Batch: 32 addresses in four passes (bitmaps, entries,
// chunks, answers); with AVX-512, 64 addresses with gathers.
//
// The implementation is fib/parts/lengths/length_bitmaps.hpp, with a step of one bit between the levels.
//
// Source: T. Yang, G. Xie, Y. Li, Q. Fu, A. Liu, Q. Li, L. Mathy, Guarantee IP lookup performance with FIB
// explosion, SIGCOMM 2014.
//
// Tested by: the registry's suites and tests/schemes/sail_b. Reading order: sail_b.hpp, entries.hpp.
#pragma once

#include "fingerpost/fib/parts/lengths/length_bitmaps.hpp"

namespace fingerpost::sail_b {

template <class A>
using fib = length_bitmaps<A, 1>;

} // namespace fingerpost::sail_b
