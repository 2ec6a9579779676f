// Ranked cells, for large IPv4 tables: one bit for each /24 at the end of an interval, and codes in address
// order.
//
// The routes divide the address space into intervals, each with one answer. Most routes of an IPv4 table are
// /24 or shorter, so one bit for each of the 2^24 cells of that size marks nearly all ends of intervals. A
// word has the bits of 32 cells and the start of the codes of its intervals. The number of bits set before an
// address's cell, which is its rank in the word, selects one of these codes.
//
//     word      32 bits, one a cell | start of the word's codes         one of 2^19
//     codes     code | code | ... one for each interval in the word's cells
//
// Lookup: two dependent loads, the word and the code. A code means a next hop or a region: short routes, in
// which longer ones leave thousands of gaps, have a small table of next hops (cells/regions.hpp). Prefixes
// longer than /24: a cell that they divide has the escape code, and a hash table leads to its tree
// (cells/long_prefix_levels.hpp). Batches overlap reading the words of some addresses with reading the codes
// of others, or prefetch both.
//
// Memory: 4 MB of words, and a code of 1, 2 or 4 bytes for each interval.
//
// Update: apply() writes the new code to the affected cells. If no thread reads a word, its codes are changed
// in place or copied, and then the word, which is one number, is written. Two FIBs that are published
// alternately share words and codes. In this case the new word is added to a list, and becomes visible when
// the FIB is published. word_versions.hpp explains this, and why readers see only the changes of their own
// FIB. A rebuild is necessary for a next hop without a code, and when much memory is unused.
//
// Limits: only IPv4; 2^31 codes of words. docs/schemes/packed_leaves.md has the measurements.
//
// Source: bitmaps with ranks are from Lulea (1997) and from Poptrie's nodes. The single flat level, and
// sharing it between two FIBs, are fingerpost's own design.
//
// Tested by: the registry's suites and tests/schemes/ranked_cells. Read these files of fib/parts/cells first:
// cell_fib.hpp, codes.hpp, regions.hpp. Reading order: ranked_cells.hpp, view.hpp, word_versions.hpp,
// bitmap_rank_table.{hpp,cpp}, word_front.hpp, structure.hpp, kernels.inl.hpp, kernels_avx512.inl.hpp,
// kernels.cpp, entries.hpp.
#pragma once

#include "fingerpost/fib/parts/cells/cell_fib.hpp"
#include "fingerpost/schemes/ranked_cells/word_front.hpp"

namespace fingerpost::ranked_cells {

template <class A>
    requires(A::bits == 32)
using fib = cells::fib<A, word_front>;

} // namespace fingerpost::ranked_cells
