// SAIL_U: bitmaps for the lengths 6, 12, 18 and 24 only, so that a change writes at most one word of them.
//
// A lookup finds the length of the longest match in bitmaps and then reads its next hop, as in SAIL_B. Here a
// route is pushed to the next of four lengths: it becomes all of its extensions of that length, which are at
// most 64 adjacent bits in one word. Lookups probe at most four bitmaps.
//
//     B_24 B_18 B_12 B_6   a bit: the level has a route; in B_24 also: longer routes are in it
//     N_24 N_18 N_12 N_6   a word: the length of the route, and its next hop; or the number of a chunk
//     chunks               256 next hops for the last 8 bits, with routes of 25 to 32 bits expanded
//
// Lookup: four independent probes without a branch, then one dependent load, or two with a chunk. Memory: 67
// MiB for any number of routes, of which 2.03 MiB are bitmaps; 1,036 bytes a chunk. Update: one word of a
// bitmap and at most 64 entries up to /24, and the affected slots of chunks. Not safe with concurrent
// readers. Limits: widths up to 32; 2^28 - 2 next hops; 8.2 million chunks. Batch: 32 addresses in four
// passes (bitmaps, entries, chunks, answers); with AVX-512, 64 addresses with gathers.
//
// The implementation is fib/parts/lengths/length_bitmaps.hpp, with a step of six bits between the levels.
//
// Source: T. Yang, G. Xie, Y. Li, Q. Fu, A. Liu, Q. Li, L. Mathy, Guarantee IP lookup performance with FIB
// explosion, SIGCOMM 2014.
//
// Tested by: the registry's suites and tests/schemes/sail_u. Reading order: sail_u.hpp, entries.hpp.
#pragma once

#include "fingerpost/fib/parts/lengths/length_bitmaps.hpp"

namespace fingerpost::sail_u {

template <class A>
using fib = length_bitmaps<A, 6>;

} // namespace fingerpost::sail_u
