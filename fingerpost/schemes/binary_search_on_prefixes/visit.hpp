// Shows the nodes of the multiway search: see fib/inspectable.hpp.
//
//     level   0 ... top       nodes of keys     root, nodes, leaves (those of the points)
//             top + 1         points            below each leaf, with two codes
//
// If there is no level above the points, they are one node.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/view.hpp"

namespace fingerpost::binary_search_on_prefixes {

// `FrontBits` is 0 if there is neither a front array nor a level above the points.
template <class A, unsigned FrontBits>
struct structure {
    using wide = wide_address<A>;
    using key = column_key<wide>;
    using value = typename A::value_type;
    static constexpr bool has_tree = FrontBits != 0;
    static constexpr unsigned key_bits = std::min(A::bits, 64u);
    static constexpr std::size_t node = node_keys<key>;

    std::uint32_t count; // number of points
    std::array<std::size_t, most_levels<key>> level_keys;
    unsigned code_bytes;
    const points_view<wide>& view;
    const next_hop_codec& codec;

    void visit(node_visitor<A> each) const {
        if constexpr (has_tree) {
            for (std::size_t n = 0; n < nodes_at(top()); ++n)
                visit_node(top(), n, each);
        } else {
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "array",
                  .part = "points",
                  .bytes = level_keys[0] * sizeof(key),
                  .children = count,
                  .bits = key_bits,
                  .contents = [&](node_contents& to) { show_keys(0, 0, level_keys[0], to); }});
            for (std::size_t i = 0; i < count; ++i)
                visit_point(i, i, 1, each);
        }
    }

  private:
    unsigned top() const noexcept {
        unsigned level = 0;
        while (level + 1 < level_keys.size() && level_keys[level + 1] != 0)
            ++level;
        return level;
    }
    std::size_t nodes_at(unsigned level) const noexcept { return level_keys[level] / node; }
    key key_at(unsigned level, std::size_t i) const noexcept {
        return static_cast<key>(view.level[level][i] ^ (has_tree ? simd::bias_of<key> : 0));
    }
    A point(std::size_t i) const noexcept {
        if constexpr (wide::bits == 128)
            return from_halves<A>(key_at(0, i), view.second[i]);
        else
            return A{static_cast<value>(key_at(0, i) >> (wide::bits - A::bits))};
    }
    // The address after the previous point, or the point itself if the two are neighbours.
    A first_above(std::size_t i) const noexcept {
        return i == 0 ? A::first() : A{static_cast<value>(point(i - 1).value + 1)};
    }

    std::uint32_t number_at(std::size_t place) const noexcept {
        return (code_bytes == 2 ? static_cast<const std::uint16_t*>(view.codes)[place]
                                : static_cast<const std::uint32_t*>(view.codes)[place]) -
               1;
    }
    // Number of keys in a level without padding.
    std::size_t keys_at(unsigned level) const noexcept { return level == 0 ? count : nodes_at(level - 1); }
    void show_keys(unsigned level, std::size_t from, std::size_t to, node_contents& held) const {
        held.with = compared::keys;
        for (std::size_t i = from; i < to; ++i)
            held.values.push_back(in_step<A>(key_at(level, i)));
        held.padding = to - std::min(to, keys_at(level));
    }
    // A node covers all addresses with the same first column as its last key, because a search for any of
    // them reads it.
    void visit_node(unsigned level, std::size_t n, node_visitor<A> each) const {
        std::size_t points = node; // points below each key of this level
        for (unsigned below = 0; below < level; ++below)
            points *= node;
        const std::size_t end = std::min<std::size_t>((n + 1) * points, count);
        const std::size_t children = std::min(keys_at(level) - n * node, node);
        const unsigned second = wide::bits == 128 ? A::bits - 64 : 0;
        each({.first = first_above(n * points),
              .last = A{static_cast<value>(point(end - 1).value | low_mask<value>(second))},
              .level = top() - level,
              .kind = level == 0 ? "leaf" : "node",
              .part = level == 0 ? "points" : "levels",
              .bytes = node * sizeof(key),
              .children = children,
              .offset = (keys_before(level) + n * node) * sizeof(key),
              .slot = level == top() ? n : n % node,
              .bits = key_bits,
              .contents = [&](node_contents& to) { show_keys(level, n * node, (n + 1) * node, to); }});
        for (std::size_t i = 0; i < children; ++i) {
            if (level == 0)
                visit_point(n * node + i, i, top() + 1, each);
            else
                visit_node(level - 1, n * node + i, each);
        }
    }
    // A point has two answers: its own and that of the addresses before it.
    void visit_point(std::size_t i, std::uint64_t slot, unsigned level, node_visitor<A> each) const {
        each({.first = first_above(i),
              .last = point(i),
              .level = level,
              .kind = "point",
              .part = "codes",
              .bytes = 2 * code_bytes,
              .offset = 2 * i * code_bytes,
              .slot = slot,
              .contents = [&](node_contents& to) {
                  add_answer(to, 0, codec.decode(number_at(2 * i)));
                  add_answer(to, 1, codec.decode(number_at(2 * i + 1)));
              }});
    }

    // Index of a level's first key in its part.
    std::size_t keys_before(unsigned level) const noexcept {
        std::size_t before = 0;
        for (unsigned l = 1; l < level; ++l)
            before += level_keys[l];
        return before;
    }
};

} // namespace fingerpost::binary_search_on_prefixes
