// Shows the nodes of a linearized B+-tree: see fib/inspectable.hpp.
//
//     level   0 ... levels    nodes of keys         root, inner nodes, leaves
//             levels + 1      answers               for the intervals of one leaf
//             0               finer ends            a separate root: all intervals below escapes
//
// Without a tree, the sorted ends are one node, and its children are the answers. In the flat B-tree, every
// node has answers below it besides its children. A node without intervals is padding.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/planb/view.hpp"

namespace fingerpost::planb {

// `Keys` is 0 without a tree. `Starts` is explained at tree_builder.
template <class A, unsigned Keys, bool Starts, bool Flat>
struct structure {
    using value = typename A::value_type;
    static constexpr bool has_tree = Keys != 0;
    static constexpr std::string_view keys_part = has_tree ? "keys" : "ends";
    using key_type = key_of<A>;
    static constexpr key_type all_ones = std::numeric_limits<key_type>::max();

    std::span<const key_type> stored;
    const tree_view<key_type>& tree;
    const next_hop_codec& codec;
    const coded_intervals<A>& finer;

    void visit(node_visitor<A> each) const {
        if constexpr (Flat)
            visit_flat_node(0, A::first(), A::last(), {}, last_flat_position(), each);
        else if constexpr (has_tree)
            visit_tree_node({}, 0, each);
        else
            visit_array(each);
        if (finer.empty())
            return;
        each({.first = A::first(),
              .last = A::last(),
              .kind = "finer array",
              .part = "finer ends",
              .bytes = finer.ends.size() * sizeof(A),
              .bits = A::bits,
              .contents = [&](node_contents& to) {
                  to.with = compared::keys;
                  for (std::size_t i = 0; i < finer.size(); ++i) {
                      to.values.push_back(number_in_step(finer.ends[i]));
                      add_answer(to, i, codec.decode(finer.codes[i] - 1));
                  }
              }});
    }

    static constexpr unsigned key_bits = std::min(A::bits, 64u);

    std::size_t intervals() const noexcept { return tree.last_interval + 1; }
    std::uint32_t answer_bytes() const noexcept { return tree.width == answer_width::two_bytes ? 2 : 4; }
    std::uint32_t code_of(std::uint64_t interval) const noexcept {
        return tree.width == answer_width::two_bytes
                   ? static_cast<const std::uint16_t*>(tree.answers)[interval]
                   : static_cast<const std::uint32_t*>(tree.answers)[interval];
    }
    key_type key_at(std::size_t offset) const noexcept {
        return has_tree ? simd::stored_key(stored[offset]) : stored[offset];
    }
    // Number of nodes in a full level.
    static std::size_t nodes_at(unsigned level) noexcept {
        std::size_t count = 1;
        for (unsigned i = 0; i < level; ++i)
            count *= Keys + 1;
        return count;
    }
    std::size_t leaf_offset() const noexcept { return has_tree ? nodes_at(tree.levels) - 1 : 0; }

    A address_of(key_type end) const noexcept {
        if constexpr (A::bits > 64)
            return A{static_cast<value>(static_cast<value>(end) << (A::bits - 64) |
                                        low_mask<value>(A::bits - 64))};
        else
            return A{static_cast<value>(end >> (8 * sizeof(key_type) - A::bits))};
    }
    // The last address of an interval, from its end key or from the start key of the next one.
    A last_of(std::size_t interval) const noexcept {
        key_type end = all_ones;
        if (interval < tree.last_interval)
            end = static_cast<key_type>(Starts ? key_at(leaf_offset() + interval + 1) - 1
                                               : key_at(leaf_offset() + interval));
        return address_of(end);
    }
    A first_of(std::size_t interval) const noexcept {
        return interval == 0 ? A::first() : A{static_cast<value>(last_of(interval - 1).value + 1)};
    }

    // Shows `count` keys starting at `at`, the last of which are padding.
    void show_keys(std::size_t at, std::size_t count, std::size_t padding, node_contents& to) const {
        to.with = compared::keys;
        for (std::size_t i = at; i < at + count; ++i)
            to.values.push_back(number_of<A>(key_at(i)));
        to.padding = padding;
    }
    // Visits `count` answers, starting at `from`, as one node.
    void visit_answers(std::size_t from, std::size_t count, A first, A last, unsigned level,
                       node_visitor<A> each, std::uint64_t slot = 0) const {
        each({.first = first,
              .last = last,
              .level = level,
              .kind = "answers",
              .part = "answers",
              .bytes = count * answer_bytes(),
              .offset = from * answer_bytes(),
              .slot = slot,
              .contents = [&](node_contents& to) {
                  for (std::size_t i = 0; i < count; ++i) {
                      const std::uint32_t code = code_of(from + i);
                      add_answer(to, i, code == codec.escape() ? next_hop::none : codec.decode(code - 1));
                  }
              }});
    }
    void visit_array(node_visitor<A> each) const {
        each({.first = A::first(),
              .last = A::last(),
              .kind = "array",
              .part = keys_part,
              .bytes = stored.size_bytes(),
              .children = intervals(),
              .bits = key_bits,
              .contents = [&](node_contents& to) { show_keys(0, stored.size(), 0, to); }});
        for (std::size_t i = 0; i < intervals(); ++i)
            visit_answers(i, 1, first_of(i), last_of(i), 1, each, i);
    }

    struct node_at {
        unsigned level = 0;
        std::size_t number = 0; // number within the level
    };
    void visit_tree_node(const node_at& at, std::uint64_t slot, node_visitor<A> each) const {
        const bool is_leaf = at.level == tree.levels;
        // number of intervals in a node's subtree
        const std::size_t below = Keys * nodes_at(tree.levels - at.level);
        const std::size_t from = std::min(at.number * below, intervals());
        const std::size_t to = std::min(from + below, intervals());
        const std::size_t leaves = (intervals() + Keys - 1) / Keys;
        const std::size_t child = at.number * (Keys + 1);
        const std::size_t there = at.level + 1 == tree.levels ? leaves : nodes_at(at.level + 1);
        const std::size_t children =
            is_leaf ? 1 : std::clamp<std::size_t>(there, child, child + Keys + 1) - child;
        const std::size_t key = nodes_at(at.level) - 1 + at.number * Keys;
        // Only addresses with a key of all ones may reach padding.
        const A first = from < to ? first_of(from) : cell_first(A::last(), key_bits);
        const A last = from < to ? last_of(to - 1) : A::last();
        each({.first = first,
              .last = last,
              .level = at.level,
              .kind = from == to ? "padding"
                      : is_leaf  ? "leaf"
                                 : "node",
              .part = keys_part,
              .bytes = Keys * sizeof stored[0],
              .children = children,
              .offset = key * sizeof stored[0],
              .slot = slot,
              .bits = key_bits,
              .contents = [&](node_contents& held) { show_keys(key, Keys, padding_of(at, below), held); }});
        if (is_leaf)
            return visit_answers(from, to - from, first, last, at.level + 1, each);
        for (std::size_t c = 0; c < children; ++c)
            visit_tree_node({at.level + 1, child + c}, c, each);
    }
    // Number of keys of a node after the last interval. Each key of an inner node is also a key of a leaf
    // below it.
    std::size_t padding_of(const node_at& at, std::size_t below) const noexcept {
        const bool is_leaf = at.level == tree.levels;
        const std::size_t span = is_leaf ? 1 : below / (Keys + 1);
        std::size_t padding = 0;
        for (std::size_t k = 1; k <= Keys; ++k)
            padding += at.number * below + k * span - (Starts && !is_leaf ? 0 : 1) >= intervals() ? 1 : 0;
        return padding;
    }

    // The position of the last interval's key. The keys after it are equal to it and are padding.
    std::size_t last_flat_position() const noexcept {
        std::size_t position = 0;
        for (std::size_t node = 0; node < tree.nodes;) {
            std::size_t rank = 0;
            while (rank < Keys && key_at(node * Keys + rank) < all_ones)
                ++rank;
            position = rank < Keys ? node * Keys + rank : position;
            node = node * (Keys + 1) + rank + 1;
        }
        return position;
    }
    struct place {
        std::uint64_t slot = 0;
        unsigned level = 0;
    };
    // A node is reached by the addresses between two adjacent keys of its parent.
    void visit_flat_node(std::size_t node, A from, A to, const place& at, std::size_t last_position,
                         node_visitor<A> each) const {
        const std::size_t key = node * Keys;
        const std::size_t child = node * (Keys + 1) + 1;
        const std::size_t children =
            child < tree.nodes ? std::min<std::size_t>(Keys + 1, tree.nodes - child) : 0;
        std::size_t padding = 0;
        for (std::size_t i = key; i < key + Keys; ++i)
            padding += key_at(i) == all_ones && i != last_position ? 1 : 0;
        each({.first = from,
              .last = to,
              .level = at.level,
              .kind = padding == Keys ? "padding" : "node",
              .part = keys_part,
              .bytes = Keys * sizeof stored[0],
              .children = children + 1,
              .offset = key * sizeof stored[0],
              .slot = at.slot,
              .bits = key_bits,
              .contents = [&](node_contents& held) { show_keys(key, Keys, padding, held); }});
        visit_answers(key, Keys, from, to, at.level + 1, each);
        A start = from;
        for (std::size_t k = 0; k < children; ++k) {
            const A end = k < Keys ? address_of(key_at(key + k)) : to;
            visit_flat_node(child + k, start, end, {k, at.level + 1}, last_position, each);
            start = end == A::last() ? end : A{static_cast<value>(end.value + 1)};
        }
    }
};

} // namespace fingerpost::planb
