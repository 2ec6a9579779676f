// The fixed-stride multibit trie of controlled prefix expansion: all nodes of a level have the same stride,
// chosen by a dynamic program that is optimal for the table.
//
// A binary trie takes one bit with each load. Here a node takes `stride` bits: it is an array of 2^stride
// slots, and a route that ends within those bits is written to all slots to which it expands, except those of
// longer routes in the node. The strides determine both memory and speed. rib/strides.hpp finds the strides
// with the smallest sum of slots and loads, where one load for the match of one route counts as 8 slots.
//
//      strides 2, 3, 2                    slot, open:     next hop | length in the node | child    8 bytes
//                                         slot, pushed:   child or answer                          4 bytes
//      [ 00 | 01 | 10 | 11 ]
//                  |     \---> [ 000 ... 111 ]
//                  \---------> [ 000 ... 111 ] ---> [ 00 | 01 | 10 | 11 ]
//
// There are two kinds of slots. Open slots have a next hop and a child: a lookup remembers the last next hop,
// and each route is in one node, so it can be changed. Pushed slots have either a next hop or a child: the
// answers of routes above are copied to slots without a child. This halves the memory, but a change would
// affect many nodes, so such a FIB is not patched.
//
// Packed nodes (packed_node.hpp) store runs of equal pushed slots if there are few runs.
//
// Lookup: one dependent load a level; 1.8 on average for matches in tier1-v4, 4.9 in tier1-v6. The strides
// are a small array that stays in the cache. Memory: 8 or 4 bytes a slot; the number of slots is the sum over
// levels of nodes times 2^stride. Update (open): writes the slots to which the route expands, at most
// 2^(stride - 1), and one node for each level; see fib/parts/multibit/multibit_patch.hpp. Changes do not
// alter the strides. So apply() requests a rebuild when the FIB would have over 1/12 more slots than a new
// one; multibit::fair_size has the rule. Limits: 2^28 open slots, 2^31 pushed ones. Pushed codes have 31
// bits; if ids are larger, next hops are numbered. All widths. Batch: with AVX-512, vectors of eight lookups
// in turn (fib/parts/multibit/multibit_kernels_avx512.hpp); otherwise up to 128 lookups that advance together
// (fib/parts/multibit/multibit_trie.hpp).
//
// Source: V. Srinivasan, G. Varghese, Fast address lookups using controlled prefix expansion, ACM TOCS 17(1),
// 1999.
//
// Tested by: the registry's suites and tests/schemes/multibit_fixed. Reading order: multibit_fixed.hpp,
// entries.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/multibit/multibit_fib.hpp"
#include "fingerpost/rib/strides.inl.hpp"

namespace fingerpost::multibit_fixed {

template <class A>
class plan {
  public:
    using type = strides_by_level<A>;

    plan(std::span<const route<A>> sorted, const multibit::plan_facts& facts) {
        unsigned border = 0;
        std::size_t level = 0;
        const auto add = [&](unsigned stride) {
            strides_.by_level[level++] = static_cast<std::uint8_t>(stride);
            border += stride;
        };
        if (!facts.strides.empty())
            std::ranges::for_each(facts.strides, add);
        else if (const auto optimum = fixed_strides(count_vertices(sorted), {.access_price = 8}))
            std::ranges::for_each(optimum->strides, add);
        // Levels for routes that may be added later.
        while (border < A::bits)
            add(std::min(4u, A::bits - border));
    }
    const type& strides() const noexcept { return strides_; }
    unsigned of_node(std::size_t, unsigned, unsigned level, bool) const noexcept {
        return strides_.by_level[level];
    }
    static unsigned of_new(const type& strides, unsigned level, unsigned) noexcept {
        return strides.by_level[level];
    }

  private:
    type strides_;
};

template <class A>
using fib = open_fib<A, plan<A>>;
template <class A>
using pushed = pushed_fib<A, plan<A>>;
template <class A>
using packed = pushed_fib<A, plan<A>, packed_trie<A, typename plan<A>::type>>;

} // namespace fingerpost::multibit_fixed
