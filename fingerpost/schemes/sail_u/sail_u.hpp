// SAIL_U: bitmaps for the lengths 6, 12, 18 and 24 only; a change writes at most one word of them.
//
// As in SAIL_B, the length of the longest match is found in bitmaps, and its next hop is read afterwards.
// Here a route is pushed to the next of four lengths: it becomes all its extensions of that length, which are
// at most 64 neighbouring bits, one word. Lookups probe at most four bitmaps.
//
//     B_24 B_18 B_12 B_6   a bit: there is a route of the level; in B_24 also: longer routes lie in it
//     N_24 N_18 N_12 N_6   a word: the length of the route, and its next hop; or the number of a chunk
//     chunks               256 next hops for the last 8 bits, with routes of 25 to 32 bits expanded
//
// Lookup: four probes that do not depend on each other and have no branch between them, then one dependent
// load, two in a chunk. Memory: 67 MiB, however few routes there are, of which 2.03 MiB are bitmaps; 1,036
// bytes a chunk. Update: up to /24, one word of the bitmap and at most 64 entries; and what the route decides
// inside chunks. Not while it is read. Limits: widths up to 32; 2^28 - 2 next hops; 8.2 million chunks.
// Batch: 32 addresses in four passes: bitmaps, entries, chunks, answers; with AVX-512 64 addresses by
// gathers.
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
