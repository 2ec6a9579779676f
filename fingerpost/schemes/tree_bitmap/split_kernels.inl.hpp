// Body of the kernels for split nodes, compiled once for each instruction set.
//
// A lookup descends through the segments of search nodes and records the internal nodes on its path. If no
// end node has a result, it reads these from the bottom up.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/schemes/tree_bitmap/kernels.inl.hpp"
#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/tree_bitmap/split_avx512.hpp"
#endif

namespace fingerpost::tree_bitmap {
namespace {

// The node for addresses without a node.
constexpr search_node nothing_split{};

FINGERPOST_INLINE unsigned population(std::uint64_t bits) {
    return static_cast<unsigned>(std::popcount(bits));
}

// Returns whether an internal node has a match for a slot, and sets `hop` to the next hop of the longest one.
FINGERPOST_INLINE bool find_inner(const trie_view& view, std::uint32_t inner, unsigned slot, next_hop& hop) {
    const internal_node& at = view.internals[inner];
    const auto& covering = ancestors<search_node::stride>[slot];
    if (!at.bits.has_common(covering))
        return false;
    hop = view.results[at.results + at.bits.rank_before(at.bits.highest_common(covering))];
    return true;
}

// `Most` is the maximum number of levels.
template <class Cursor, unsigned Most>
struct split_walker {
    static constexpr unsigned stride = search_node::stride;
    const trie_view& view;

    struct walk {
        Cursor at;
        const search_node* current_node;
        next_hop hop;
        std::uint32_t outer; // the result of an end node
        std::uint32_t depth; // number of recorded internal nodes; nodes without one write but do not count
        std::uint32_t inner[Most + 1];
        std::uint8_t slots[Most + 1];
    };
    FINGERPOST_INLINE const search_node* nodes() const { return static_cast<const search_node*>(view.nodes); }

    FINGERPOST_INLINE walk begin(Cursor at) const {
        const initial_entry entry = view.initial[at.high >> 1 >> (63 - view.initial_bits)];
        walk w;
        w.current_node = entry.node == no_node ? &nothing_split : nodes() + entry.node;
        w.at = at;
        w.at.skip(view.initial_bits);
        w.hop = entry.hop;
        w.outer = no_node;
        w.depth = 0;
        __builtin_prefetch(w.current_node);
        return w;
    }
    template <class Address>
    FINGERPOST_INLINE walk start(const Address& a) const {
        return begin(cursor_of(a));
    }
    FINGERPOST_INLINE bool step(walk& w) const {
        const unsigned slot = w.at.template take<stride>();
        const segment& part = w.current_node->quarters[slot / 64];
        const std::uint64_t below = part.external << (63 - slot % 64);
        const bool leads_on = (below >> 63) != 0;
        const bool is_end = part.is_end();
        const std::uint32_t to = part.below + population(below) - 1;
        w.inner[w.depth] = part.inner();
        w.slots[w.depth] = static_cast<std::uint8_t>(slot);
        w.depth += part.inner() != 0 ? 1u : 0u;
        w.outer = (leads_on & is_end) ? to : no_node;
        w.current_node = nodes() + to;
        __builtin_prefetch(w.current_node);
        return leads_on & !is_end;
    }
    FINGERPOST_INLINE next_hop answer(const walk& w) const {
        if (w.outer != no_node)
            return view.results[w.outer];
        next_hop hop = w.hop;
        for (unsigned i = w.depth; i-- > 0;)
            if (find_inner(view, w.inner[i], w.slots[i], hop))
                break;
        return hop;
    }
};

using short_split = split_walker<short_cursor, 64 / search_node::stride>;
using long_split = split_walker<long_cursor, 128 / search_node::stride>;

template <class Walker, input_form Form, class Address>
void look_up_split_batch(const trie_view& view, const void* addresses, next_hop* out,
                         std::size_t count) noexcept {
    const Walker walks{view};
    const std::span in(static_cast<const Address*>(addresses), count);
    std::size_t first = 0;
#if FINGERPOST_KERNELS_FOR_AVX512
    first = cover_in_groups(count, [&](auto groups, std::size_t from) FINGERPOST_LAMBDA {
        wide_split_lookup<Form, groups.value>::block(
            view, addresses, from, out + from,
            [&](std::uint32_t inner, unsigned slot, next_hop& hop)
                FINGERPOST_LAMBDA { return find_inner(view, inner, slot, hop); },
            [&](std::size_t lane) FINGERPOST_LAMBDA {
                out[from + lane] = finish(walks, walks.begin(cursor_of(in[from + lane])));
            });
    });
#endif
    lookup_in_rounds<32>(walks, in.subspan(first), std::span(out, count).subspan(first));
}

next_hop look_up_split_short(const trie_view& view, std::uint64_t high, std::uint64_t) noexcept {
    const short_split walks{view};
    return finish(walks, walks.begin(cursor_of(high)));
}
next_hop look_up_split_long(const trie_view& view, std::uint64_t high, std::uint64_t low) noexcept {
    const long_split walks{view};
    return finish(walks, walks.begin(long_cursor{high, low, 0}));
}

constexpr stride_kernels kernels_of_split = {
    .batch = {look_up_split_batch<short_split, input_form::key64, std::uint64_t>,
              look_up_split_batch<long_split, input_form::ipv6, address<128>>,
              look_up_split_batch<short_split, input_form::ipv4, std::uint32_t>},
    .single = {look_up_split_short, look_up_split_long},
};

} // namespace
} // namespace fingerpost::tree_bitmap
