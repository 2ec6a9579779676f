// SAIL_B: a bitmap for each prefix length up to 24; the next hop is read after the length is known.
//
// SAIL splits a lookup in two ways. First, one bit for each possible prefix of a length is enough to find the
// length of the longest match: all 25 bitmaps are 4 MiB and stay in the cache, however many routes there are.
// Only then is one next hop read, from an array that may be large. Second, few routes are longer than /24, so
// these are left to chunks of 256 next hops.
//
//     B_24 .. B_0   a bit: there is a route of exactly this length; in B_24 also: longer routes lie in it
//     N_24 .. N_0   a word: the next hop; for B_24 also: the number of a chunk
//     chunks        256 next hops for the last 8 bits, with routes of 25 to 32 bits expanded
//
// Lookup: the probes of the bitmaps do not depend on each other; then one dependent load, two in a chunk. At
// most 25 probes; 8 at a time are made without a branch. Memory: 132 MiB, however few routes there are, and
// 1,036 bytes a chunk. Update: one bit and one word up to /24, and what the route decides inside chunks. Not
// while it is read. Limits: widths up to 32; 2^28 - 2 next hops; 8.2 million chunks. Batch: 32 addresses in
// four passes: bitmaps, entries, chunks, answers; with AVX-512 64 addresses by gathers.
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
