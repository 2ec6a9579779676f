// Body of the PlanB kernels, compiled once for each instruction set over that set's `vec`.
//
// Everything has internal linkage, so that code for one instruction set can never be linked in place of
// another's. A block of lanes descends level by level. The outer loop is over levels; the inner one is over
// lanes, and a fold expression unrolls it. The state of a lane is its key in a vector register and one
// offset. Offsets are stored as p + 1, which turns child = (Keys + 1) * p + (c + 1) * Keys into p' = (Keys +
// 1) * p' + Keys * c.
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

// A key in all elements of a vector register.
template <class Key>
using sought = decltype(vec::broadcast(Key{}));

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
    // With start keys, the last address also counts sentinels, so the count may exceed the number of keys.
    if constexpr (Bound == bound::start) {
        interval -= 1;
        interval = interval < view.last_interval ? interval : view.last_interval;
    }
    return static_cast<std::uint32_t>(static_cast<const Answer*>(view.answers)[interval]) - 1;
}

// For start keys: an address after every start reaches sentinels, and must not leave the trimmed leaves.
template <unsigned Keys, bound Bound, class Key>
FINGERPOST_INLINE std::uint64_t leaf_at(const tree_view<Key>& view, std::uint64_t p) {
    if constexpr (Bound == bound::start) {
        const std::uint64_t last = view.leaf_offset + view.last_interval / Keys * Keys + 1;
        return p < last ? p : last;
    } else {
        return p;
    }
}

// Calls find() with a value of the answers' type. One test for each block costs less than kernels for each
// width.
template <class Key, class Find>
FINGERPOST_INLINE void with_answer_type(const tree_view<Key>& view, Find find) {
    if (view.width == answer_width::two_bytes)
        find(std::uint16_t{});
    else
        find(std::uint32_t{});
}

// Stands for a number of levels that the kernel reads from the view.
constexpr unsigned any_levels = ~0u;

template <unsigned Keys, bound Bound, unsigned Levels, unsigned Lanes, class Key, class Load>
FINGERPOST_INLINE void look_up_block(const tree_view<Key>& view, Load load, std::uint32_t* out) {
    sought<Key> x[Lanes];
    std::uint64_t p[Lanes];
    const Key* const base = view.keys - 1;
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        x[lane.value] = vec::broadcast(load(lane.value));
        p[lane.value] = 1;
    });
    const auto step_down = [&](auto...) FINGERPOST_LAMBDA {
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            const std::uint64_t q = p[lane.value];
            p[lane.value] = q * (Keys + 1) + rank_in<Keys, Bound>(base + q, x[lane.value]) * Keys;
        });
    };
    if constexpr (Levels != any_levels)
        unroll<Levels>(step_down);
    else
        for (unsigned level = 0; level < view.levels; ++level)
            step_down();
    const std::uint64_t first_leaf = view.leaf_offset + 1;
    with_answer_type(view, [&](auto answer) FINGERPOST_LAMBDA {
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            const std::uint64_t q = leaf_at<Keys, Bound>(view, p[lane.value]);
            const std::uint64_t interval = q - first_leaf + rank_in<Keys, Bound>(base + q, x[lane.value]);
            out[lane.value] = answer_of<decltype(answer), Bound>(view, interval);
        });
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

template <class Key, unsigned Keys, bound Bound, unsigned Levels>
std::uint32_t look_up_single(const tree_view<Key>& view, Key key) noexcept {
    std::uint32_t out;
    look_up_block<Keys, Bound, Levels, 1>(
        view, [=](std::size_t) FINGERPOST_LAMBDA { return key; }, &out);
    return out;
}

template <input_form Form, class Key, unsigned Keys, bound Bound, unsigned Levels, unsigned Lanes>
void look_up_batch(const tree_view<Key>& view, const void* addresses, std::uint32_t* out,
                   std::size_t count) noexcept {
    cover_batch<Lanes>(count, [&](auto lanes, std::size_t first) FINGERPOST_LAMBDA {
        const auto load = [=](std::size_t i)
                              FINGERPOST_LAMBDA { return load_key<Form>(addresses, first + i); };
        look_up_block<Keys, Bound, Levels, lanes.value>(view, load, out + first);
    });
}

template <class Key>
FINGERPOST_INLINE std::uint32_t answer_at(const tree_view<Key>& view, std::uint64_t interval) {
    std::uint32_t out = 0;
    with_answer_type(view, [&](auto answer) FINGERPOST_LAMBDA {
        out = answer_of<decltype(answer), bound::end>(view, interval);
    });
    return out;
}

template <class Key, unsigned Keys, unsigned Levels>
std::uint32_t look_up_loop(const tree_view<Key>& view, Key key) noexcept {
    const unsigned levels = Levels == any_levels ? view.levels : Levels;
    using whole = address<8 * sizeof(Key)>;
    return answer_at(view, find_in_tree<whole, Keys, false>(view, plain_reads{}, levels, key));
}

template <class Key, unsigned Keys>
std::uint32_t look_up_flat(const tree_view<Key>& view, Key key) noexcept {
    const auto x = vec::broadcast(key);
    std::uint64_t best = 0;
    for (std::uint64_t node = 0; node < view.nodes;) {
        const std::uint64_t rank = rank_in<Keys, bound::end>(view.keys + node * Keys, x);
        if (rank < Keys) {
            best = node * Keys + rank;
            if (view.keys[best] == stored_key(key))
                break;
        }
        node = node * (Keys + 1) + rank + 1;
    }
    return answer_at(view, best);
}

template <class Key, unsigned Keys, bound Bound, unsigned Levels, unsigned Lanes>
constexpr walk_kernels<Key> kernels_of_walk() {
    constexpr unsigned unrolled = Levels == usual_levels<Keys> ? Levels : any_levels;
    walk_kernels<Key> walk{};
    if constexpr (sizeof(Key) == 4) {
        walk.batch[0] = look_up_batch<input_form::ipv4, Key, Keys, Bound, unrolled, Lanes>;
    } else {
        walk.batch[0] = look_up_batch<input_form::key64, Key, Keys, Bound, unrolled, Lanes>;
        walk.batch[1] = look_up_batch<input_form::ipv6, Key, Keys, Bound, unrolled, Lanes>;
    }
    walk.single = look_up_single<Key, Keys, Bound, Levels>;
    if constexpr (Keys == line_keys<Key> && Bound == bound::end)
        walk.plain_loop = look_up_loop<Key, Keys, unrolled>;
    return walk;
}
template <class Key, unsigned Keys, bound Bound, unsigned Lanes>
constexpr tree_kernels<Key> kernels_of_tree() {
    tree_kernels<Key> kernels{};
    [&]<unsigned... Levels>(std::integer_sequence<unsigned, Levels...>) {
        ((kernels.walks[Levels] = kernels_of_walk<Key, Keys, Bound, Levels, Lanes>()), ...);
    }(std::make_integer_sequence<unsigned, most_levels<Keys> + 1>{});
    if constexpr (Keys == line_keys<Key> && Bound == bound::end)
        kernels.flat = look_up_flat<Key, Keys>;
    return kernels;
}

template <class Key>
constexpr kernels_over<Key> kernels_with() {
    constexpr unsigned keys = line_keys<Key>;
    return {.ends = kernels_of_tree<Key, keys, bound::end, vec::lanes>(),
            .starts = kernels_of_tree<Key, keys, bound::start, vec::lanes>(),
            .wide = kernels_of_tree<Key, 2 * keys, bound::end, vec::lanes / 2>()};
}

constinit const kernel_set all_kernels = {
    .of_32 = kernels_with<std::uint32_t>(),
    .of_64 = kernels_with<std::uint64_t>(),
};

} // namespace
} // namespace fingerpost::planb
