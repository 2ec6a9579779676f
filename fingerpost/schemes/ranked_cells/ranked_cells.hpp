// Ranked cells: one bit for each /24 with which an interval ends, and codes in address order. For large IPv4
// tables.
//
// Idea. The routes cut the address space into intervals in which all addresses have one answer. Most routes
// of an IPv4 table are /24 or shorter, so bits for the 2^24 cells of that size say where nearly all intervals
// end. A word has the bits of 32 cells, and says where the codes of its intervals start. The number of bits
// that are set before an address's cell, its rank in the word, tells which of these codes is the address's.
//
//     word      32 bits, one a cell | where the word's codes start     one of 2^19
//     codes     code | code | ... one for each interval that the word's cells share
//
// Lookup: two dependent loads, the word and the code. A code stands for a next hop, or for a region: short
// routes, in which longer ones leave thousands of gaps, have a small table of next hops (cells/regions.hpp).
// Prefixes longer than /24: the cell that they cut has the escape code, and is looked up in a hash table that
// leads to a tree of the cell (cells/long_prefix_levels.hpp). Batches read the words of some addresses before
// the codes of others, or prefetch both.
//
// Memory: 4 MB of words, and a code of 1, 2 or 4 bytes for each interval.
//
// Update: apply() gives the cells that a change affects their new code. Where no thread reads a word, its
// codes are changed in place or written anew, and then the word, which is one number. Two FIBs that are
// published alternately share words and codes: then the new word goes into a list and shows when the FIB is
// published. word_versions.hpp explains how, and why readers see only the changes of their own FIB. A FIB
// must be built anew for a next hop without a code, and when much memory is unused.
//
// Limits: IPv4, 2^31 codes of words. docs/schemes/packed_leaves.md has the measurements.
//
// Source: bitmaps with ranks are those of Lulea (1997) and of Poptrie's nodes; one flat level, and what
// shares it between two FIBs, are fingerpost's own.
//
// Tested by: the suites over the registry, and tests/schemes/ranked_cells.
// Read first, of fib/parts/cells: cell_fib.hpp, codes.hpp, regions.hpp.
// Read in this order: ranked_cells.hpp, view.hpp, word_versions.hpp, bitmap_rank_table.{hpp,cpp},
// word_front.hpp, structure.hpp, kernels.inl.hpp, kernels_avx512.inl.hpp, kernels.cpp, entries.hpp.
#pragma once

#include "fingerpost/fib/parts/cells/cell_fib.hpp"
#include "fingerpost/schemes/ranked_cells/word_front.hpp"

namespace fingerpost::ranked_cells {

template <class A>
    requires(A::bits == 32)
using fib = cells::fib<A, word_front>;

} // namespace fingerpost::ranked_cells
