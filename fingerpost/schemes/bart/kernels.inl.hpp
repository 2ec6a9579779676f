// Body of the kernels, compiled once for each instruction set: what differs is how bits are counted.
//
// Everything has internal linkage, so that code for one instruction set can never be linked in place of
// another's. A lookup takes two steps a level, one that reads the node and one that reads the child, and asks
// in each for what the next one reads. The nodes on its way are remembered and tested only when it has not
// ended in a leaf that fits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/rounds.hpp"
#include "fingerpost/schemes/bart/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::bart {
namespace {

using namespace simd;

constexpr ancestor_table<stride> ancestors = make_ancestors<stride>();

FINGERPOST_INLINE std::uint64_t low_of(const short_cursor&) {
    return 0;
}
FINGERPOST_INLINE std::uint64_t low_of(const long_cursor& at) {
    return at.low;
}

// `Most`: levels of nodes.
template <class Cursor, class Leaf, unsigned Most>
struct walker {
    const trie_view& view;

    struct walk {
        Cursor at;
        const node* here;    // null when `next` is to be read
        const child* next;   // null when there is none
        next_hop hop;        // of a leaf that fits
        std::uint32_t depth; // nodes that were read
        std::uint8_t slots[Most];
        std::uint32_t way[Most];
    };

    template <class Address>
    FINGERPOST_INLINE walk start(const Address& a) const {
        return begin(cursor_of(a));
    }
    FINGERPOST_INLINE walk begin(Cursor at) const {
        walk w;
        w.at = at;
        w.here = view.nodes + view.root;
        w.next = nullptr;
        w.hop = next_hop::none;
        w.depth = 0;
        return w;
    }
    FINGERPOST_INLINE bool step(walk& w) const { return w.here != nullptr ? read_node(w) : read_child(w); }
    // From the deepest node up, unless a leaf has answered.
    FINGERPOST_INLINE next_hop answer(const walk& w) const {
        if (w.hop != next_hop::none)
            return w.hop;
        for (unsigned i = w.depth; i-- > 0;) {
            const node& n = view.nodes[w.way[i]];
            const bitset& above = ancestors[w.slots[i]];
            if (n.prefixes.has_common(above))
                return view.hops[n.hops + n.prefixes.rank_before(n.prefixes.highest_common(above))];
        }
        return next_hop::none;
    }

  private:
    FINGERPOST_INLINE bool read_node(walk& w) const {
        const node& here = *w.here;
        const unsigned slot = w.at.template take<stride>();
        w.slots[w.depth] = static_cast<std::uint8_t>(slot);
        w.way[w.depth++] = static_cast<std::uint32_t>(w.here - view.nodes);
        w.here = nullptr;
        w.next = view.children + (here.first + here.children.rank_before(slot));
        __builtin_prefetch(w.next);
        return here.children.test(slot);
    }
    FINGERPOST_INLINE bool read_child(walk& w) const {
        const child next = *w.next;
        if (next.is_node()) {
            w.here = view.nodes + next.to;
            __builtin_prefetch(w.here);
            __builtin_prefetch(reinterpret_cast<const std::byte*>(w.here) + 64);
            return true;
        }
        if (next.is_fringe() ||
            static_cast<const Leaf*>(view.leaves)[next.leaf()].contains(w.at.high, low_of(w.at)))
            w.hop = next.hop;
        return false;
    }
};

using short_walker = walker<short_cursor, short_leaf, 64 / stride>;
using long_walker = walker<long_cursor, long_leaf, 128 / stride>;

template <class Walker, class Address>
void look_up_batch(const trie_view& view, const void* addresses, next_hop* out, std::size_t count) noexcept {
    lookup_in_rounds<16>(Walker{view}, std::span(static_cast<const Address*>(addresses), count),
                         std::span(out, count));
}
template <class Walker, class Cursor>
FINGERPOST_INLINE next_hop look_up_from(const Walker& walks, Cursor at) {
    auto w = walks.begin(at);
    while (walks.step(w)) {
    }
    return walks.answer(w);
}
next_hop look_up_short(const trie_view& view, std::uint64_t high, std::uint64_t) noexcept {
    return look_up_from(short_walker{view}, cursor_of(high));
}
next_hop look_up_long(const trie_view& view, std::uint64_t high, std::uint64_t low) noexcept {
    return look_up_from(long_walker{view}, long_cursor{high, low, 0});
}

constinit const kernel_set all_kernels = {
    .batch = {look_up_batch<short_walker, std::uint64_t>, look_up_batch<long_walker, address<128>>,
              look_up_batch<short_walker, std::uint32_t>},
    .single = {look_up_short, look_up_long},
};

} // namespace
} // namespace fingerpost::bart
