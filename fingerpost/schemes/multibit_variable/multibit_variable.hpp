// The variable-stride multibit trie of controlled prefix expansion: each node has its own stride, chosen by a
// dynamic program that is optimal for the table.
//
// A fixed-stride trie has the same stride in all nodes of a level, although some have thousands of routes
// below and others one. Here the slot that links to a node also stores its stride, so dense parts of the
// table get wide nodes and isolated long routes narrow ones. rib/strides.hpp finds the strides with the
// smallest sum of slots and loads, where one load for the match of one route counts as 8 slots.
//
//      slot, open:     next hop | length in the node | stride and child     8 bytes
//      slot, pushed:   stride and child, or answer                          4 bytes
//
//      [ 00 | 01 | 10 | 11 ]
//                  |     \---> [ 0 | 1 ]
//                  \---------> [ 00000 ... 11111 ]
//
// Open and pushed slots are defined as in the fixed-stride trie: open ones can be patched, pushed ones take
// half the memory.
//
// Packed nodes (packed_node.hpp) store runs of equal slots if there are few runs, and paths store bits
// without a branch. The program then counts the runs of every possible node and so chooses strides that pack
// well. Both kinds of slots can be packed. A trie with packed nodes cannot be patched.
//
// Lookup: one dependent load for each node, followed by a shift by the stride that was just read. Memory: 8
// or 4 bytes a slot. Update (open): writes the slots to which the route expands, and nodes of up to 4 bits
// for routes longer than the trie. apply() requests a rebuild when the FIB would have over 1/12 more slots
// than a new one; multibit::fair_size has the rule. Limits: strides up to 16, that of the root up to 20; 2^24
// open slots, 2^28 pushed ones, 2^26 pushed and 2^22 open ones if nodes are packed. Pushed codes have 31
// bits; if ids are larger, next hops are numbered. All widths. Batch: as in the fixed-stride trie.
//
// Source: V. Srinivasan, G. Varghese, Fast address lookups using controlled prefix expansion, ACM TOCS 17(1),
// 1999.
//
// Tested by: the registry's suites and tests/schemes/multibit_variable. Reading order: multibit_variable.hpp,
// entries.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/multibit/multibit_fib.hpp"
#include "fingerpost/fib/parts/multibit/packed_node.hpp"
#include "fingerpost/rib/strides.inl.hpp"

namespace fingerpost::multibit_variable {

enum class packing : std::uint8_t { none, pushed, open };

// Number of slots that a packed node takes.
template <std::size_t SlotBytes>
std::uint64_t packed_slots(unsigned stride, std::uint64_t runs) noexcept {
    return packed_node::layout<SlotBytes>::slots(stride, runs, impossible);
}

// Packed nodes may also be below paths.
template <class A, packing Packing = packing::none>
class plan {
  public:
    using type = strides_by_slot;

    plan(std::span<const route<A>> sorted, const multibit::plan_facts& facts)
        : found_(variable_plan::of<A>(sorted, choice(facts))) {
        if (!sorted.empty())
            strides_.of_root = static_cast<std::uint8_t>(found_.stride(0, 0));
    }
    const type& strides() const noexcept { return strides_; }
    unsigned of_node(std::size_t first_route, unsigned depth, unsigned, bool behind_path) const noexcept {
        return found_.stride(first_route, depth, 0, behind_path);
    }
    static unsigned of_new(const type&, unsigned, unsigned bits_left) noexcept {
        return std::min(4u, bits_left);
    }

  private:
    static stride_choice choice(const multibit::plan_facts& facts) noexcept {
        stride_choice options{.widest = 16, .widest_root = 20, .access_price = 8};
        constexpr bool is_pushed = Packing == packing::pushed;
        if (Packing != packing::none) {
            options.skip_price = 2; // nodes start at even slots, so a path costs two
            options.packed = {.cost = packed_slots < is_pushed ? 4 : 8 >
                              , .pushed = is_pushed, .everywhere = facts.everywhere};
        }
        return options;
    }

    variable_plan found_;
    type strides_;
};

template <class A>
using fib = open_fib<A, plan<A>>;
template <class A>
using pushed = pushed_fib<A, plan<A>>;
template <class A>
using packed = pushed_fib<A, plan<A, packing::pushed>, packed_trie<A, strides_by_slot>>;
template <class A>
using packed_open = packed_open_fib<A, plan<A, packing::open>>;

} // namespace fingerpost::multibit_variable
