// Packed leaves: a multibit trie of three levels over small search trees, whose cache lines hold keys and
// codes together. A code stands for a next hop.
//
// Idea. As in PlanB, the longest match is the interval that an address falls into. Three table steps, with
// strides that are chosen for each table, lead an address to a tree of at most some thousand intervals: two
// levels of nodes and a leaf. Within a tree 32 bits tell an address from its neighbours, so a key takes 4
// bytes instead of 8, and a cache line also holds the codes: 10 keys and 11 codes of two bytes. The last line
// of a lookup gives its code, and everything is half as large.
//
//     root    first bits -> code         where all these addresses have one: the lookup ends here
//             first bits -> entry        2^8 to 2^16 entries
//     table   next bits  -> entry        as many bits as the entry before says
//     table   next bits  -> the tree of the cell, or its code
//     node    | end | end | ... | end | offset of first child   |       15 keys: 16 children
//     node    the same
//     leaf    | end | end | ... | end | code | code | ... | code |       one line, 10 keys, 11 intervals
//
// Other addresses all take the same steps: an entry that takes no bits passes an address on. In a line the
// slot is the number of keys (inclusive ends) below the address's own: one vector compare, one popcount. A
// batch goes through tables, nodes and leaves in blocks of up to 64 addresses. A block that the tables answer
// ends there. A single such address continues, over lines without keys to a leaf with code 0, which adds
// nothing to its code. So in a batch no branch depends on a single address, but for a few that the root does
// not answer in a block that it answers otherwise.
//
// Large IPv4 tables are built as ranked cells instead, which take two dependent loads: schemes/ranked_cells,
// and either.hpp, which chooses.
//
// Dependent loads: 3 + 2 + 1. The tables and the upper nodes stay in L1 or L2: with a full IPv6 table a
// lookup reads one node and one leaf from L2.
//
// Prefixes longer than /48: the cell that such a boundary divides has the escape code. The next long-prefix
// level finds the cell in a hash table and searches the next 32 bits in a tree of the same lines, and so on
// to /128.
//
// Short routes, in which longer ones leave thousands of gaps, are regions: the gaps have the code of the
// region, and a small table has the region's next hop (regions.hpp).
//
// Update: apply() gives the ranges that a change affects their new code. It reads, changes and writes the
// leaf or the cell of a long-prefix level that a range falls into. Where a leaf is full,
// the leaves of its node are divided anew, then nodes and trees. The first node of a tree stays, so the index
// is written only when a cell gets a code or loses one, or when a tree is divided. When much of the lines is
// unused, all lines move together. A FIB must be built anew for a next hop without a code, for a table of the
// index that grows too large, and when other memory is unused. When two FIBs are published by turns, the
// standby copies the lines and slots that the active one has written since.
//
// Limits: 4 GB of lines in the trees of the index and in each long-prefix level, 2^26 index entries. Own
// design; what was tried before it and lost: docs/why/experiments/.
//
// Tested by: the suites over the registry, and tests/schemes/packed_leaves.
// Read first, of fib/parts/cells: cell_fib.hpp, codes.hpp, regions.hpp, packed_lines, trees,
// interval_editor.hpp, tree_changes.cpp, walk.inl.hpp. Read in this order: packed_leaves.hpp, view.hpp,
// index.{hpp,cpp}, index_builder.{hpp,cpp}, index_front.hpp, check.hpp, structure.hpp, stages.inl.hpp,
// batches.inl.hpp, kernels_avx512.inl.hpp, kernels.inl.hpp, kernels.cpp, entries.hpp.
#pragma once

#include "fingerpost/fib/parts/cells/cell_fib.hpp"
#include "fingerpost/fib/parts/cells/either.hpp"
#include "fingerpost/schemes/packed_leaves/index_front.hpp"
#include "fingerpost/schemes/ranked_cells/ranked_cells.hpp"

namespace fingerpost::packed_leaves {

// Trees for tables of every size.
template <class A>
using tree_fib = cells::fib<A, index_front>;

namespace detail {
template <class A>
struct choice {
    using type = tree_fib<A>;
};
template <class A>
    requires(A::bits == 32)
struct choice<A> {
    using type = either<A, tree_fib<A>, ranked_cells::fib<A>>;
};
} // namespace detail

template <class A>
using fib = typename detail::choice<A>::type;

} // namespace fingerpost::packed_leaves
