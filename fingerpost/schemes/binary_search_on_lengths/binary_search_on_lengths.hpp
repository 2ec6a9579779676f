// Binary search on prefix lengths: hash tables of prefixes, probed at the lengths of a binary search tree.
//
// A hit at one length means that a match is at least that long, so the search goes on among the longer ones;
// a miss that it is shorter. For that to be true each route leaves markers, its own first bits, at the
// shorter lengths where the way to it goes to the longer side. A marker may lead to nothing, so each entry
// also has the longest match of its own bits: a search keeps that and never turns back.
//
//                 32                     entries   [ 2001:db8::/32  marker  best match: of /29 ]
//                /  \                              [ 2001:db8:1::/48 route  best match: itself ]
//              29    48                            ...
//                                        four entries of 16 bytes a cache line, all lengths in one table
//
// Lookup: a probe for each node on a way down the tree, each one cache line, now and then two; each depends
// on the one before. With L lengths in use ceil(log2(L + 1)) probes at most in the balanced tree: 6 for the
// 46 of real IPv6 tables. Variants have the tree in which routes are least deep on average, and an array by
// the first 16 bits that answers what has no longer routes at once. Memory: 16 bytes for each route and each
// marker, three quarters of the slots in use; 32 where more than 64 bits count. Update: none; a route that
// comes changes the best match of any number of markers, and a length that comes moves markers. A live table
// builds anew. Limits: 1,048,575 different next hops; all widths. Batch: 16 addresses in turn, each bucket
// asked for a turn before it is compared, all its slots at once (fib/parts/length_search_kernels.inl.hpp).
//
// Source: M. Waldvogel, G. Varghese, J. Turner, B. Plattner, Scalable high speed IP routing lookups, SIGCOMM
// 1997. Not here: ropes, which let each marker choose the lengths below it anew.
//
// Tested by: the suites over the registry, and tests/schemes/binary_search_on_lengths.
// Read in this order: binary_search_on_lengths.hpp, entries.{hpp,cpp}.
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
class fib : public length_fib<A> {
    using base = length_fib<A>;

  public:
    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        const length_counts<A> counts = count_lengths<A>(table.sorted());
        const std::vector<std::uint8_t> lengths = lengths_in_use<A>(counts);
        auto store =
            length_store<A>::build(table,
                                   {.tree = Tree == tree_kind::balanced ? balanced_tree<A>(lengths)
                                                                        : weighted_tree<A>(lengths, counts),
                                    .front = {.bits = FrontBits}},
                                   options);
        if (!store)
            return unexpected{store.error()};
        return fib(std::move(*store), options.isa);
    }

  private:
    fib(length_store<A> store, simd::isa isa) noexcept : base(std::move(store), isa) {}
};

} // namespace fingerpost::binary_search_on_lengths
