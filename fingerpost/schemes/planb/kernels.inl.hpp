// Body of the PlanB kernels, compiled once for each instruction set over that set's `vec`.
//
// Everything has internal linkage, so that code for one instruction set can never be linked in place of
// another's. A block of lanes walks down the tree level by level; the outer loop is over levels, the inner
// one over lanes, and fold expressions unroll both. The state of a lane is its key in a vector register and
// one offset. Offsets are kept as p + 1, which turns child = (Keys + 1) * p + (c + 1) * Keys into p' = (Keys
// + 1) * p' + Keys * c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "fingerpost/schemes/planb/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::planb {
namespace {

using namespace simd;

enum class bound { end, start };

constexpr std::uint64_t power_of(std::uint64_t base, unsigned exponent) {
    return exponent == 0 ? 1 : base * power_of(base, exponent - 1);
}

// The offset of the leaf level, in keys: (Keys + 1)^Levels - 1.
template <unsigned Keys, unsigned Levels>
constexpr std::uint64_t leaf_offset = power_of(Keys + 1, Levels) - 1;

// A key in all parts of a vector register.
template <class Key>
using sought = decltype(vec::broadcast(Key{}));

template <class Key>
constexpr Key bias_of() {
    if constexpr (sizeof(Key) == 4)
        return vec::key_bias_32;
    else
        return vec::key_bias;
}

// Counts the keys of a node that are below the sought key (ends) or not above it (starts).
template <unsigned Keys, bound Bound, class Key>
FINGERPOST_INLINE std::uint64_t rank_in(const Key* node, sought<Key> x) {
    if constexpr (Bound == bound::end)
        return vec::count_below<Keys>(node, x);
    else
        return vec::count_not_above<Keys>(node, x);
}

template <class Answer, bound Bound, class Key>
FINGERPOST_INLINE std::uint32_t answer_of(const tree_view<Key>& view, std::uint64_t interval) {
    // With start keys, the last address counts the sentinels as reached, so the count can run past the end.
    if constexpr (Bound == bound::start) {
        interval -= 1;
        interval = interval < view.last_interval ? interval : view.last_interval;
    }
    return static_cast<std::uint32_t>(static_cast<const Answer*>(view.answers)[interval]) - 1;
}

// With start keys only: an address past every start walks through sentinels; it must not leave the trimmed
// leaves.
template <unsigned Keys, bound Bound, unsigned Levels, class Key>
FINGERPOST_INLINE std::uint64_t leaf_at(const tree_view<Key>& view, std::uint64_t p) {
    if constexpr (Bound == bound::start) {
        const std::uint64_t last = leaf_offset<Keys, Levels> + view.last_interval / Keys * Keys + 1;
        return p < last ? p : last;
    } else {
        return p;
    }
}

template <class Answer, unsigned Keys, bound Bound, unsigned Levels, unsigned Lanes, class Key, class Load>
FINGERPOST_INLINE void look_up_block(const tree_view<Key>& view, Load load, std::uint32_t* out) {
    sought<Key> x[Lanes];
    std::uint64_t p[Lanes];
    const Key* const base = view.keys - 1;
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        x[lane.value] = vec::broadcast(load(lane.value));
        p[lane.value] = 1;
    });
    unroll<Levels>([&](auto) FINGERPOST_LAMBDA {
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            const std::uint64_t q = p[lane.value];
            p[lane.value] = q * (Keys + 1) + rank_in<Keys, Bound>(base + q, x[lane.value]) * Keys;
        });
    });
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        const std::uint64_t q = leaf_at<Keys, Bound, Levels>(view, p[lane.value]);
        const std::uint64_t interval =
            q - 1 + rank_in<Keys, Bound>(base + q, x[lane.value]) - leaf_offset<Keys, Levels>;
        out[lane.value] = answer_of<Answer, Bound>(view, interval);
    });
}

template <input_form Form>
FINGERPOST_INLINE auto load_key(const void* addresses, std::size_t i) {
    if constexpr (Form == input_form::ipv4)
        return static_cast<const std::uint32_t*>(addresses)[i];
    else if constexpr (Form == input_form::key64)
        return static_cast<const std::uint64_t*>(addresses)[i];
    else
        return static_cast<const std::uint64_t*>(addresses)[2 * i + high_word];
}

template <class Key, class Answer, unsigned Keys, bound Bound, unsigned Levels>
std::uint32_t look_up_single(const tree_view<Key>& view, Key key) noexcept {
    std::uint32_t out;
    look_up_block<Answer, Keys, Bound, Levels, 1>(
        view, [=](std::size_t) FINGERPOST_LAMBDA { return key; }, &out);
    return out;
}

template <input_form Form, class Key, class Answer, unsigned Keys, bound Bound, unsigned Levels,
          unsigned Lanes>
void look_up_batch(const tree_view<Key>& view, const void* addresses, std::uint32_t* out,
                   std::size_t count) noexcept {
    cover_batch<Lanes>(count, [&](auto lanes, std::size_t first) FINGERPOST_LAMBDA {
        const auto load = [=](std::size_t i)
                              FINGERPOST_LAMBDA { return load_key<Form>(addresses, first + i); };
        look_up_block<Answer, Keys, Bound, Levels, lanes.value>(view, load, out + first);
    });
}

template <class Key, class Answer, unsigned Keys, unsigned Levels>
std::uint32_t look_up_loop(const tree_view<Key>& view, Key key) noexcept {
    const Key biased = key ^ bias_of<Key>();
    std::uint64_t p = 0;
    std::uint64_t rank = 0;
    for (unsigned level = 0; level <= Levels; ++level) {
        rank = 0;
        for (unsigned k = 0; k < Keys; ++k)
            rank += vec::plain_below(view.keys[p + k], biased);
        if (level < Levels)
            p = p * (Keys + 1) + (rank + 1) * Keys;
    }
    return answer_of<Answer, bound::end>(view, p + rank - leaf_offset<Keys, Levels>);
}

template <class Key, class Answer, unsigned Keys>
std::uint32_t look_up_flat(const tree_view<Key>& view, Key key) noexcept {
    const auto x = vec::broadcast(key);
    const Key stored = key ^ bias_of<Key>();
    std::uint64_t best = 0;
    for (std::uint64_t node = 0; node < view.nodes;) {
        const std::uint64_t rank = rank_in<Keys, bound::end>(view.keys + node * Keys, x);
        if (rank < Keys) {
            best = node * Keys + rank;
            if (view.keys[best] == stored)
                break;
        }
        node = node * (Keys + 1) + rank + 1;
    }
    return answer_of<Answer, bound::end>(view, best);
}

template <class>
struct level_tables;
template <unsigned... Levels>
struct level_tables<std::integer_sequence<unsigned, Levels...>> {
    template <input_form Form, class Key, class Answer, unsigned Keys, bound Bound, unsigned Lanes>
    static constexpr void fill(batch_kernel<Key> (&kernels)[sizeof...(Levels)]) {
        ((kernels[Levels] = look_up_batch<Form, Key, Answer, Keys, Bound, Levels, Lanes>), ...);
    }
    template <class Key, class Answer, unsigned Keys, bound Bound, unsigned Lanes>
    static constexpr void fill(tree_kernels<Key, Keys>& kernels, answer_width width) {
        const auto w = static_cast<std::size_t>(width);
        if constexpr (sizeof(Key) == 4) {
            fill<input_form::ipv4, Key, Answer, Keys, Bound, Lanes>(kernels.batch[0][w]);
        } else {
            fill<input_form::key64, Key, Answer, Keys, Bound, Lanes>(kernels.batch[0][w]);
            fill<input_form::ipv6, Key, Answer, Keys, Bound, Lanes>(kernels.batch[1][w]);
        }
        ((kernels.single[w][Levels] = look_up_single<Key, Answer, Keys, Bound, Levels>), ...);
        ((kernels.plain_loop[w][Levels] = look_up_loop<Key, Answer, Keys, Levels>), ...);
        kernels.flat[w] = look_up_flat<Key, Answer, Keys>;
    }
    template <class Key, unsigned Keys, bound Bound, unsigned Lanes>
    static constexpr tree_kernels<Key, Keys> make() {
        tree_kernels<Key, Keys> made{};
        made.key_bias = bias_of<Key>();
        fill<Key, std::uint16_t, Keys, Bound, Lanes>(made, answer_width::two_bytes);
        fill<Key, std::uint32_t, Keys, Bound, Lanes>(made, answer_width::four_bytes);
        return made;
    }
};

template <class Key, unsigned Keys, bound Bound, unsigned Lanes>
constexpr tree_kernels<Key, Keys> all_levels() {
    using tables = level_tables<std::make_integer_sequence<unsigned, level_counts_of<Keys>>>;
    return tables::template make<Key, Keys, Bound, Lanes>();
}
template <class Key>
constexpr kernels_over<Key> kernels_with() {
    constexpr unsigned keys = line_keys<Key>;
    return {.ends = all_levels<Key, keys, bound::end, vec::lanes>(),
            .starts = all_levels<Key, keys, bound::start, vec::lanes>(),
            .wide = all_levels<Key, 2 * keys, bound::end, vec::lanes / 2>()};
}

constinit const kernel_set all_kernels = {
    .of_32 = kernels_with<std::uint32_t>(),
    .of_64 = kernels_with<std::uint64_t>(),
};

} // namespace
} // namespace fingerpost::planb
