// Binary search on prefix lengths: hash tables of prefixes, probed at the lengths of a binary search tree.
//
// A hit at one length means that the longest match is at least that long, so the search continues among the
// longer lengths; a miss means that it is shorter. To ensure this, each route has markers, which are its own
// first bits, at those shorter lengths where the search for it must continue with longer ones. A marker does
// not guarantee a match, so each entry also stores the longest match of its own bits. The search remembers
// that and never backtracks.
//
//                 32                     entries   [ 2001:db8::/32  marker  best match: of /29 ]
//                /  \                              [ 2001:db8:1::/48 route  best match: itself ]
//              29    48                            ...
//                                        four entries of 16 bytes a cache line, all lengths in one table
//
// Lookup: one probe for each node on a path down the tree. A probe reads one cache line, rarely two, and
// depends on the probe before. With L lengths in use the balanced tree takes at most ceil(log2(L + 1))
// probes: 6 for the 46 lengths of real IPv6 tables. Variants use the tree with the smallest average depth of
// routes, and an array indexed by the first 16 bits, which has the answer where there are no longer routes.
// Memory: 16 bytes for each route and each marker, with 3/4 of the slots in use; 32 bytes for keys of more
// than 64 bits. Update: not supported, because a new route may change the best match of many markers, and a
// new length moves markers. A live table rebuilds the FIB. Limits: 1,048,575 different next hops; all widths.
// Batch: 16 addresses in turn. Each bucket is prefetched one turn before all its slots are compared at once
// (fib/parts/lengths/length_search_kernels.inl.hpp).
//
// Source: M. Waldvogel, G. Varghese, J. Turner, B. Plattner, Scalable high speed IP routing lookups, SIGCOMM
// 1997. Not implemented: ropes, which give each marker its own sequence of lengths to search.
//
// Tested by: the registry's suites and tests/schemes/binary_search_on_lengths. Reading order:
// binary_search_on_lengths.hpp, entries.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/lengths/length_fib.hpp"

namespace fingerpost::binary_search_on_lengths {

enum class tree_kind : std::uint8_t { balanced, weighted };

template <class A, tree_kind Tree = tree_kind::balanced, unsigned FrontBits = 0>
class fib : public length_fib<fib<A, Tree, FrontBits>, A> {
    using base = length_fib<fib, A>;
    friend base;

  public:
    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        const length_counts<A> counts = count_lengths<A>(table.sorted());
        const std::vector<std::uint8_t> lengths = lengths_in_use<A>(counts);
        return base::with(
            length_store<A>::build(table,
                                   {.tree = Tree == tree_kind::balanced ? balanced_tree<A>(lengths)
                                                                        : weighted_tree<A>(lengths, counts),
                                    .front = {.bits = FrontBits}},
                                   options),
            options);
    }
};

} // namespace fingerpost::binary_search_on_lengths
