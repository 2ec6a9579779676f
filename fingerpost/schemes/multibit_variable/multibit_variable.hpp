// The variable-stride multibit trie of controlled prefix expansion: every node has a stride of its own, as a
// dynamic program over the table's binary trie finds best.
//
// A fixed-stride trie gives all nodes of a level the same stride, although some have thousands of routes
// below and others one. Here the slot that leads to a node tells its stride too, so a dense part of the table
// gets wide nodes and a lone long route narrow ones. rib/strides.hpp finds the strides with the least sum of
// slots and loads: a load of one route's match is taken to be worth 8 slots.
//
//      slot, open:     next hop | length in the node | stride and child     8 bytes
//      slot, pushed:   stride and child, or answer                          4 bytes
//
//      [ 00 | 01 | 10 | 11 ]
//                  |     \---> [ 0 | 1 ]
//                  \---------> [ 00000 ... 11111 ]
//
// Open and pushed slots are those of the fixed-stride trie: open ones can be changed, pushed ones take half
// the memory.
//
// Packed nodes (packed_node.hpp) keep runs of equal pushed slots, where these are few, and paths the bits on
// which nothing branches.
//
// Lookup: one dependent load a node; a shift by the stride that was just read is part of the way to the next.
// Memory: 8 or 4 bytes a slot.
// Update (open): the slots that the route expands to, and nodes of up to 4 bits for what is longer than the
// trie. apply() asks for a FIB built anew when the slots would be more than a twelfth above what it would
// have; multibit::fair_size has the rule.
// Limits: strides up to 16, that of the root up to 20; 2^24 open slots, 2^28 pushed ones, 2^26 where nodes
// are packed. Pushed codes have 31 bits: larger next hop ids are numbered. All widths. Batch: as in the
// fixed-stride trie.
//
// Source: V. Srinivasan, G. Varghese, Fast address lookups using controlled prefix expansion, ACM TOCS 17(1),
// 1999.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/multibit_fib.hpp"
#include "fingerpost/rib/strides.hpp"

namespace fingerpost::multibit_variable {

// With Paths, nodes may stand below paths, which take two slots.
template <class A, bool Paths = false>
class plan {
  public:
    using type = strides_by_slot;

    explicit plan(std::span<const route<A>> sorted) : found_(variable_plan::of<A>(sorted, choice())) {
        if (!sorted.empty())
            strides_.of_root = static_cast<std::uint8_t>(found_.stride(0, 0));
    }
    const type& strides() const noexcept { return strides_; }
    unsigned of_node(std::size_t first_route, unsigned depth, unsigned) const noexcept {
        return found_.stride(first_route, depth);
    }
    static unsigned of_new(const type&, unsigned, unsigned bits_left) noexcept {
        return std::min(4u, bits_left);
    }

  private:
    static stride_choice choice() noexcept {
        stride_choice all{.widest = 16, .widest_root = 20, .access_price = 8};
        if (Paths)
            all.skip_price = node_path::head;
        return all;
    }

    variable_plan found_;
    type strides_;
};

template <class A>
using fib = open_fib<A, plan<A>>;
template <class A>
using pushed = pushed_fib<A, plan<A>>;
template <class A>
using packed = pushed_fib<A, plan<A, true>, packed_trie<A, typename plan<A, true>::type>>;

} // namespace fingerpost::multibit_variable
