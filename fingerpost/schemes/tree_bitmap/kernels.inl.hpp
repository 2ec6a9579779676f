// Body of the tree bitmap kernels, compiled once for each instruction set because each counts bits in its own
// way.
//
// Everything has internal linkage, so that code for one instruction set can never be linked in place of
// another's. During the descent, a lookup records the last node with a match. It counts the bits before that
// match only once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/batches/rounds.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/schemes/tree_bitmap/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"
#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/tree_bitmap/kernels_avx512.hpp"
#endif

namespace fingerpost::tree_bitmap {
namespace {

using namespace simd;

template <unsigned Stride>
constexpr ancestor_table<Stride> ancestors = make_ancestors<Stride>();

// The node for addresses that have none, which avoids a branch.
template <unsigned Stride>
constexpr node<Stride> nothing{};

template <unsigned Stride, class Cursor>
struct walker {
    using node_type = node<Stride>;
    const trie_view& view;

    struct visited {
        const node_type* at;
        unsigned slot;
    };
    struct walk {
        Cursor at;
        const node_type* current_node;
        next_hop hop; // the answer if no node has a match
        // The last node without and the last one with a match, or null. Both are written without a branch,
        // because matches are unpredictable.
        visited last[2];
    };
    FINGERPOST_INLINE const node_type* nodes() const { return static_cast<const node_type*>(view.nodes); }

    FINGERPOST_INLINE walk begin(Cursor at) const {
        const initial_entry entry = view.initial[at.high >> 1 >> (63 - view.initial_bits)];
        const node_type* const first = entry.node == no_node ? &nothing<Stride> : nodes() + entry.node;
        at.skip(view.initial_bits);
        ask_for(first);
        return {at, first, entry.hop, {{nullptr, 0}, {nullptr, 0}}};
    }
    // Starts at the node to which the bits before `position` lead.
    FINGERPOST_INLINE walk resume(Cursor at, std::uint32_t number, unsigned position, next_hop hop) const {
        at.skip(position);
        return {at, nodes() + number, hop, {{nullptr, 0}, {nullptr, 0}}};
    }
    template <class Address>
    FINGERPOST_INLINE walk start(const Address& a) const {
        return begin(cursor_of(a));
    }
    FINGERPOST_INLINE bool step(walk& w) const {
        const node_type& n = *w.current_node;
        const unsigned slot = w.at.template take<Stride>();
        const bool leads_on = n.external.test(slot);
        const bool is_end = n.is_end();
        const bool matches = n.internal.has_common(ancestors<Stride>[slot]) | (leads_on & is_end);
        w.last[matches ? 1 : 0] = {&n, slot};
        w.current_node = nodes() + (n.children + n.external.rank_before(slot));
        ask_for(w.current_node);
        return leads_on & !is_end;
    }
    // Computes both places, because a branch would be as unpredictable and cost more.
    FINGERPOST_INLINE next_hop answer(const walk& w) const {
        const auto [at, slot] = w.last[1];
        if (at == nullptr)
            return w.hop;
        const node_type& best = *at;
        const unsigned outer = best.external_place(slot);
        const unsigned inner =
            best.internal_place(best.internal.highest_common(ancestors<Stride>[slot]) % (1u << Stride));
        const unsigned is_outer = unsigned{best.is_end()} & unsigned{best.external.test(slot)};
        return view.results[best.results + (is_outer != 0 ? outer : inner)];
    }

  private:
    FINGERPOST_INLINE static void ask_for(const node_type* next) {
        __builtin_prefetch(next);
        if constexpr (sizeof(node_type) > 64)
            __builtin_prefetch(reinterpret_cast<const std::byte*>(next) + 64);
    }
};

// Completes one lookup.
template <class Walker, class Walk>
FINGERPOST_INLINE next_hop finish(const Walker& walks, Walk w) {
    while (walks.step(w)) {
    }
    return walks.answer(w);
}

template <unsigned Stride, input_form Form, class Address, class Cursor>
void look_up_batch(const trie_view& view, const void* addresses, next_hop* out, std::size_t count) noexcept {
    const walker<Stride, Cursor> walks{view};
    const std::span in(static_cast<const Address*>(addresses), count);
    std::size_t first = 0;
#if FINGERPOST_KERNELS_FOR_AVX512
    if constexpr (Stride <= 6)
        first = cover_in_groups(count, [&](auto groups, std::size_t from) FINGERPOST_LAMBDA {
            wide_lookup<Stride, Form, groups.value>::block(
                view, addresses, from, out + from,
                [&](std::size_t lane, std::uint32_t number, unsigned position) FINGERPOST_LAMBDA {
                    next_hop& hop = out[from + lane];
                    hop = finish(walks, walks.resume(cursor_of(in[from + lane]), number, position, hop));
                });
        });
#endif
    lookup_in_rounds<32>(walks, in.subspan(first), std::span(out, count).subspan(first));
}

template <unsigned Stride, class Cursor>
FINGERPOST_INLINE next_hop look_up_from(const trie_view& view, Cursor at) {
    const walker<Stride, Cursor> walks{view};
    return finish(walks, walks.begin(at));
}
template <unsigned Stride>
next_hop look_up_short(const trie_view& view, std::uint64_t high, std::uint64_t) noexcept {
    return look_up_from<Stride>(view, cursor_of(high));
}
template <unsigned Stride>
next_hop look_up_long(const trie_view& view, std::uint64_t high, std::uint64_t low) noexcept {
    return look_up_from<Stride>(view, long_cursor{high, low, 0});
}

template <unsigned Stride>
constexpr stride_kernels kernels_of_stride = {
    .batch = {look_up_batch<Stride, input_form::key64, std::uint64_t, short_cursor>,
              look_up_batch<Stride, input_form::ipv6, address<128>, long_cursor>,
              look_up_batch<Stride, input_form::ipv4, std::uint32_t, short_cursor>},
    .single = {look_up_short<Stride>, look_up_long<Stride>},
};

} // namespace
} // namespace fingerpost::tree_bitmap
