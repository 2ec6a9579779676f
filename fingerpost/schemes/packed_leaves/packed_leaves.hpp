// Packed leaves: a multibit trie of three levels over small search trees, whose cache lines hold keys and
// codes together. A code stands for a next hop.
//
// A lookup finds the interval of an address, as in PlanB. Three table steps, with a stride for each table,
// lead to a tree of at most a few thousand intervals: two levels of nodes and a leaf. Within a tree, 32 bits
// distinguish addresses, so a key takes 4 bytes instead of 8, and a cache line also has the codes: 10 keys
// and 11 codes of two bytes. So the last line of a lookup has its code, and the structure is half as large.
//
//     root    first bits -> code         if all these addresses have the same: the lookup ends here
//             first bits -> entry        2^8 to 2^16 entries
//     table   next bits  -> entry        number of bits given by the previous entry
//     table   next bits  -> the cell's tree or code
//     node    | end | end | ... | end | offset of first child   |       15 keys: 16 children
//     node    another one
//     leaf    | end | end | ... | end | code | code | ... | code |       one line, 10 keys, 11 intervals
//
// All other addresses take the same steps; entries that take no bits fill the gaps. In a line, the slot is
// the number of keys (inclusive ends) below the address's key: one vector comparison and one popcount. A
// batch takes tables, nodes and leaves in blocks of up to 64 addresses. A block ends early if the tables
// answer all of it. Otherwise an answered address continues over lines without keys to a leaf with code 0,
// which is added to its code. So branches do not depend on single addresses, except for the few that the root
// does not answer in a block that it otherwise answers.
//
// Large IPv4 tables are built as ranked cells instead, which take two dependent loads: see
// schemes/ranked_cells, and either.hpp, which makes the choice.
//
// Dependent loads: 3 + 2 + 1. The tables and the upper nodes stay in L1 or L2: with a full IPv6 table a
// lookup reads one node and one leaf from L2.
//
// Prefixes longer than /48: a cell that such a prefix divides has the escape code. The next tier finds the
// cell in a hash table and searches for the next 32 bits in a tree of the same kind of lines, and so on down
// to /128.
//
// A short route, in which longer ones leave thousands of gaps, is a region: all gaps have the region's code,
// and a small table has its next hop (regions.hpp).
//
// Update: apply() writes the new code to the affected ranges. For each range it reads and rewrites the leaf,
// or the cell of a tier, with the range. If a leaf is full, the intervals of its node are redistributed among
// leaves; if the node is full, the same happens one level up. The first node of a tree stays in place, so the
// index is written only when a cell gains or loses a code, or when a tree is divided. When many lines are
// unused, all lines are compacted. A rebuild is necessary for a next hop without a code, for a table of the
// index that grows too large, and when other memory is unused. With left_right, the standby FIB copies the
// lines and slots that the active one has written since.
//
// Limits: 4 GB of lines in the trees of the index and in each tier, 2^26 index entries. Designed for this
// project; docs/why/experiments/ has the alternatives that were slower.
//
// Tested by: the registry's suites and tests/schemes/packed_leaves. Read these files of fib/parts/cells
// first: cell_fib.hpp, codes.hpp, regions.hpp, packed_lines, trees, interval_editor.hpp, tree_changes.cpp,
// walk.inl.hpp. Reading order: packed_leaves.hpp, view.hpp, index.{hpp,cpp}, index_builder.{hpp,cpp},
// index_front.hpp, check.hpp, structure.hpp, stages.inl.hpp, batches.inl.hpp, kernels_avx512.inl.hpp,
// kernels.inl.hpp, kernels.cpp, entries.hpp.
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
