// Shows the steps of a lookup, and the nodes that it reads: see fib/inspectable.hpp.
//
//     level   0 ... top       nodes of keys     root, nodes, leaves (those of the points)
//             top + 1         points            below each leaf, with two codes
//
// Without levels above them, the sorted points are one node.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/binary_search_on_prefixes/view.hpp"

namespace fingerpost::binary_search_on_prefixes {

// `FrontBits` is 0 if there is neither a front array nor a level above the points.
template <class A, unsigned FrontBits>
struct inspector {
    using wide = wide_address<A>;
    using key = column_key<wide>;
    using value = typename A::value_type;
    static constexpr bool has_tree = FrontBits != 0;
    static constexpr unsigned key_bits = std::min(A::bits, 64u);
    static constexpr std::size_t node = node_keys<key>;

    std::uint32_t count; // points
    std::array<std::size_t, most_levels<key>> level_keys;
    std::size_t front_size;
    unsigned code_bytes;
    const points_view<wide>& view;
    const next_hop_codec& codec;

    next_hop trace(A a, step_visitor each) const {
        const key sought = first_column(widen(a));
        std::size_t at = has_tree ? find_in_tree(sought, each) : find_by_probes(sought, each);
        bool equal = key_at(0, at) == sought;
        if constexpr (wide::bits == 128)
            if (equal)
                equal = find_in_second(bottom64(widen(a)), at, each);
        const std::size_t place = 2 * at + (equal ? 1 : 0);
        return end_with(place, each);
    }

    std::array<memory_part, 7> parts() const noexcept {
        std::size_t above = 0;
        for (std::size_t level = 1; level < level_keys.size(); ++level)
            above += level_keys[level] * sizeof(key);
        const std::size_t halves = wide::bits == 128 ? count : 0;
        return {{{"points", level_keys[0] * sizeof(key)},
                 {"levels", above},
                 {"front", front_size * sizeof(std::uint32_t)},
                 {"second halves", halves * sizeof(std::uint64_t)},
                 {"run ends", halves * sizeof(std::uint32_t)},
                 {"codes", std::size_t{count} * 2 * code_bytes},
                 {"next hops", codec.memory_bytes()}}};
    }

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
        return static_cast<key>(view.level[level][i] ^ view.bias);
    }
    A point(std::size_t i) const noexcept {
        if constexpr (wide::bits == 128)
            return from_halves<A>(key_at(0, i), view.second[i]);
        else
            return A{static_cast<value>(key_at(0, i) >> (wide::bits - A::bits))};
    }
    // The address after the previous point; if the two are neighbours, it is the point itself.
    A first_above(std::size_t i) const noexcept {
        return i == 0 ? A::first() : A{static_cast<value>(point(i - 1).value + 1)};
    }

    std::uint32_t number_at(std::size_t place) const noexcept {
        return (code_bytes == 2 ? static_cast<const std::uint16_t*>(view.codes)[place]
                                : static_cast<const std::uint32_t*>(view.codes)[place]) -
               1;
    }
    // The keys of a level that are no padding.
    std::size_t keys_at(unsigned level) const noexcept { return level == 0 ? count : nodes_at(level - 1); }
    void show_keys(unsigned level, std::size_t from, std::size_t to, node_contents& held) const {
        held.with = compared::keys;
        for (std::size_t i = from; i < to; ++i)
            held.values.push_back(in_step(key_at(level, i)));
        held.padding = to - std::min(to, keys_at(level));
    }
    // A node covers all addresses with the first column of its last key, because a search for any of them
    // reads it.
    void visit_node(unsigned level, std::size_t n, node_visitor<A> each) const {
        std::size_t points = node; // below one key of this level
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
    // A point has two answers: of the addresses below it, and its own.
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

    // Where a level begins in its part.
    std::size_t keys_before(unsigned level) const noexcept {
        std::size_t before = 0;
        for (unsigned l = 1; l < level; ++l)
            before += level_keys[l];
        return before;
    }
    std::size_t find_in_tree(key sought, step_visitor each) const {
        const std::size_t slot = sought >> view.front_shift;
        const std::uint32_t low = view.front[slot], high = view.front[slot + 1];
        each({.part = "front",
              .at = view.front + slot,
              .offset = slot * sizeof low,
              .bytes = 2 * sizeof low,
              .bits = FrontBits,
              .key = slot});
        constexpr unsigned shift = node_shift<key>;
        unsigned level = (static_cast<unsigned>(std::bit_width(low ^ high)) + shift - 1) / shift;
        std::size_t rank = shift_right(low, shift * level);
        while (level-- > 0) {
            const std::size_t from = rank * node;
            std::array<std::uint64_t, node> keys;
            for (std::size_t k = 0; k < node; ++k)
                keys[k] = in_step(key_at(level, from + k));
            const auto below =
                std::count_if(keys.begin(), keys.end(), [=](std::uint64_t k) { return k < in_step(sought); });
            rank = from + static_cast<std::size_t>(below);
            each({.part = level == 0 ? "points" : "levels",
                  .at = view.level[level] + from,
                  .offset = (keys_before(level) + from) * sizeof(key),
                  .bytes = node * sizeof(key),
                  .bits = key_bits,
                  .with = compared::keys,
                  .key = in_step(sought),
                  .values = keys});
        }
        return rank;
    }
    // As an address of this width, if that is narrower than the column.
    static std::uint64_t in_step(key k) noexcept { return k >> (sizeof(key) * 8 - key_bits); }

    std::size_t find_by_probes(key sought, step_visitor each) const {
        std::size_t rank = 0;
        for (std::size_t left = count; left > 1;) {
            const std::size_t half = left / 2, probe = rank + half - 1;
            const std::uint64_t there = in_step(key_at(0, probe));
            const bool is_below = there < in_step(sought);
            each({.part = "points",
                  .at = view.level[0] + probe,
                  .offset = probe * sizeof(key),
                  .bytes = sizeof(key),
                  .bits = key_bits,
                  .with = compared::keys,
                  .key = in_step(sought),
                  .values = std::span(&there, 1)});
            rank += is_below ? half : 0;
            left -= half;
        }
        return rank;
    }
    // Searches among the points with the address's first half; `at` is the first of them before, and the
    // found rank after.
    bool find_in_second(std::uint64_t sought, std::size_t& at, step_visitor each) const {
        const std::uint32_t end = view.run_ends[at];
        each({.part = "run ends",
              .at = view.run_ends + at,
              .offset = at * sizeof end,
              .bytes = sizeof end,
              .key = at});
        const std::size_t first = at;
        at = find_in_run(view.second, static_cast<std::uint32_t>(at), end, sought);
        const std::span run(view.second + first, end - first);
        each({.part = "second halves",
              .at = run.data(),
              .offset = first * sizeof sought,
              .bytes = static_cast<std::uint32_t>(run.size_bytes()),
              .first_bit = 64,
              .bits = A::bits - 64,
              .with = compared::keys,
              .key = sought,
              .values = run});
        return at < end && view.second[at] == sought;
    }
    next_hop end_with(std::size_t place, step_visitor each) const {
        const std::uint32_t number = number_at(place);
        trace_step last{.part = "codes",
                        .at = static_cast<const std::byte*>(view.codes) + place * code_bytes,
                        .offset = place * code_bytes,
                        .bytes = code_bytes,
                        .key = place / 2};
        const std::span<const next_hop> listed = codec.decoder().hops;
        if (!listed.empty() && number != next_hop::none.id) {
            each(last);
            last = {.part = "next hops",
                    .at = &listed[number],
                    .offset = number * sizeof(next_hop),
                    .bytes = sizeof(next_hop),
                    .key = number};
        }
        last.result = outcome::answered;
        each(last);
        return codec.decode(number);
    }
};

} // namespace fingerpost::binary_search_on_prefixes
