// Body of the kernels, compiled once for each instruction set because each counts bits in its own way.
//
// Everything has internal linkage, so that code for one instruction set can never be linked in place of
// another's. A lookup takes two steps a level: the first reads the node, the second reads the child. Each
// step prefetches for the next. Nodes with prefixes are recorded and tested only if the lookup does not end
// in a matching leaf.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/batches/rounds.hpp"
#include "fingerpost/schemes/bart/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"
#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/bart/kernels_avx512.hpp"
#endif

namespace fingerpost::bart {
namespace {

using namespace simd;

constexpr ancestor_table<stride> ancestors = make_ancestors<stride>();

// Returns whether a prefix of the node matches, and sets `hop` to the next hop of the longest match.
FINGERPOST_INLINE bool find_prefix(const trie_view& view, const node& n, unsigned slot, next_hop& hop) {
    const bitset& above = ancestors[slot];
    if (!n.prefixes.has_common(above))
        return false;
    hop = view.hops[n.hop_place(n.prefixes.highest_common(above))];
    return true;
}

FINGERPOST_INLINE std::uint64_t low_of(const short_cursor&) {
    return 0;
}
FINGERPOST_INLINE std::uint64_t low_of(const long_cursor& at) {
    return at.low;
}

// `Most` is the maximum number of levels.
template <class Cursor, class Leaf, unsigned Most>
struct walker {
    const trie_view& view;

    struct walk {
        Cursor at;
        const node* current_node; // null before a child is read
        const child* next;        // null before a node is read
        next_hop hop;             // next hop of a matching leaf
        std::uint32_t depth;      // number of recorded nodes, which have prefixes
        std::uint8_t slots[Most + 1];
        std::uint32_t way[Most + 1];
    };

    template <class Address>
    FINGERPOST_INLINE walk start(const Address& a) const {
        return begin(cursor_of(a));
    }
    FINGERPOST_INLINE walk begin(Cursor at) const {
        walk w;
        w.at = at;
        w.current_node = view.nodes + view.root;
        w.next = nullptr;
        w.hop = next_hop::none;
        w.depth = 0;
        return w;
    }
    FINGERPOST_INLINE bool step(walk& w) const {
        return w.current_node != nullptr ? read_node(w) : read_child(w);
    }
    // Tests the recorded nodes, the deepest first, unless a leaf has given the answer.
    FINGERPOST_INLINE next_hop answer(const walk& w) const {
        if (w.hop != next_hop::none)
            return w.hop;
        next_hop hop = next_hop::none;
        for (unsigned i = w.depth; i-- > 0;)
            if (find_prefix(view, view.nodes[w.way[i]], w.slots[i], hop))
                break;
        return hop;
    }
    FINGERPOST_INLINE bool fits(const Cursor& at, std::uint32_t leaf) const {
        return static_cast<const Leaf*>(view.leaves)[leaf].contains(at.high, low_of(at));
    }

  private:
    FINGERPOST_INLINE bool read_node(walk& w) const {
        const node& n = *w.current_node;
        const unsigned slot = w.at.template take<stride>();
        w.slots[w.depth] = static_cast<std::uint8_t>(slot);
        w.way[w.depth] = static_cast<std::uint32_t>(w.current_node - view.nodes);
        w.depth += n.has_prefixes() ? 1u : 0u;
        w.current_node = nullptr;
        w.next = view.children + n.child_place(slot);
        __builtin_prefetch(w.next);
        return n.children.test(slot);
    }
    FINGERPOST_INLINE bool read_child(walk& w) const {
        const child next = *w.next;
        if (next.is_node()) {
            w.current_node = view.nodes + next.to;
            __builtin_prefetch(w.current_node);
            __builtin_prefetch(reinterpret_cast<const std::byte*>(w.current_node) + 64);
            return true;
        }
        if (next.is_fringe() || fits(w.at, next.leaf()))
            w.hop = next.hop;
        return false;
    }
};

using short_walker = walker<short_cursor, short_leaf, 64 / stride>;
using long_walker = walker<long_cursor, long_leaf, 128 / stride>;

template <class Walker, class Cursor>
FINGERPOST_INLINE next_hop look_up_from(const Walker& walks, Cursor at) {
    auto w = walks.begin(at);
    while (walks.step(w)) {
    }
    return walks.answer(w);
}
template <class Walker, input_form Form, class Address>
void look_up_batch(const trie_view& view, const void* addresses, next_hop* out, std::size_t count) noexcept {
    const Walker walks{view};
    const std::span in(static_cast<const Address*>(addresses), count);
    std::size_t first = 0;
#if FINGERPOST_KERNELS_FOR_AVX512
    first = cover_in_groups(count, [&](auto groups, std::size_t from) FINGERPOST_LAMBDA {
        wide_lookup<Form, groups.value>::block(
            view, addresses, from, out + from,
            [&](std::size_t lane, std::uint32_t leaf)
                FINGERPOST_LAMBDA { return walks.fits(cursor_of(in[from + lane]), leaf); },
            [&](std::size_t lane, std::uint32_t number, unsigned slot)
                FINGERPOST_LAMBDA { return find_prefix(view, view.nodes[number], slot, out[from + lane]); },
            [&](std::size_t lane)
                FINGERPOST_LAMBDA { out[from + lane] = look_up_from(walks, cursor_of(in[from + lane])); });
    });
#endif
    lookup_in_rounds<16>(walks, in.subspan(first), std::span(out, count).subspan(first));
}
next_hop look_up_short(const trie_view& view, std::uint64_t high, std::uint64_t) noexcept {
    return look_up_from(short_walker{view}, cursor_of(high));
}
next_hop look_up_long(const trie_view& view, std::uint64_t high, std::uint64_t low) noexcept {
    return look_up_from(long_walker{view}, long_cursor{high, low, 0});
}

constinit const kernel_set all_kernels = {
    .batch = {look_up_batch<short_walker, input_form::key64, std::uint64_t>,
              look_up_batch<long_walker, input_form::ipv6, address<128>>,
              look_up_batch<short_walker, input_form::ipv4, std::uint32_t>},
    .single = {look_up_short, look_up_long},
};

} // namespace
} // namespace fingerpost::bart
