// Shows the steps of a lookup in a linearized B+-tree, and its nodes: see fib/inspectable.hpp.
//
//     level   0 ... levels    nodes of keys         root, inner nodes, leaves
//             levels + 1      answers               of the intervals of one leaf
//             0               finer ends            a root of its own: all intervals below escapes
//
// Without a tree the sorted ends are one node, with each interval's answer below it. In the flat B-tree every
// node has answers below it, besides its children. A node without intervals is padding.
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

// `Keys` is 0 without a tree; `Starts` as in tree_builder.
template <class A, unsigned Keys, bool Starts, bool Flat>
struct inspector {
    using value = typename A::value_type;
    static constexpr bool has_tree = Keys != 0;
    static constexpr std::string_view keys_part = has_tree ? "keys" : "ends";
    using key_type = key_of<A>;
    static constexpr key_type all_ones = std::numeric_limits<key_type>::max();

    std::span<const key_type> stored; // each XORed with `bias`
    key_type bias;
    const tree_view<key_type>& tree;
    const next_hop_codec& codec;
    const coded_intervals<A>& finer;

    next_hop trace(A a, step_visitor each) const {
        const std::uint64_t interval = find(key_for(a), each);
        const std::uint32_t number = code_of(interval) - 1;
        const bool escaped = number == codec.escape_mark();
        const trace_step answer{.part = "answers",
                                .at = static_cast<const std::byte*>(tree.answers) + interval * answer_bytes(),
                                .offset = interval * answer_bytes(),
                                .bytes = answer_bytes(),
                                .key = interval};
        if (!escaped)
            return end_with(answer, number, each);
        each(answer);
        return find_finer(a, each);
    }

    std::array<memory_part, 5> parts() const noexcept {
        return {{{keys_part, stored.size_bytes()},
                 {"answers", intervals() * answer_bytes()},
                 {"next hops", codec.memory_bytes()},
                 {"finer ends", finer.ends.size() * sizeof(A)},
                 {"finer codes", finer.codes.size() * sizeof(std::uint32_t)}}};
    }

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

  private:
    static constexpr unsigned key_bits = std::min(A::bits, 64u);

    std::size_t intervals() const noexcept { return tree.last_interval + 1; }
    std::uint32_t answer_bytes() const noexcept { return tree.width == answer_width::two_bytes ? 2 : 4; }
    std::uint32_t code_of(std::uint64_t interval) const noexcept {
        return tree.width == answer_width::two_bytes
                   ? static_cast<const std::uint16_t*>(tree.answers)[interval]
                   : static_cast<const std::uint32_t*>(tree.answers)[interval];
    }
    key_type key_at(std::size_t offset) const noexcept { return stored[offset] ^ bias; }
    // A key as a number of as many bits as addresses have.
    static std::uint64_t shown(key_type key) noexcept {
        return std::uint64_t{key} >> (8 * sizeof(key_type) - key_bits);
    }
    // The number of nodes of a full level.
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

    // Reads one node a level, as the kernels do; returns the number of the interval.
    std::uint64_t find_in_tree(key_type sought, step_visitor each) const {
        const std::size_t leaves = leaf_offset();
        std::size_t at = 0;
        for (unsigned level = 0;; ++level) {
            // An address past every start walks through sentinels, and is moved back to the last leaf.
            if (Starts && level == tree.levels)
                at = std::min<std::size_t>(at, leaves + tree.last_interval / Keys * Keys);
            const std::uint64_t rank = tell_node(at, sought, each);
            if (level == tree.levels)
                return std::min(at + rank - leaves - (Starts ? 1 : 0), tree.last_interval);
            at = at * (Keys + 1) + (rank + 1) * Keys;
        }
    }
    // As the kernel does; returns the position of the answer.
    std::uint64_t find_in_flat(key_type sought, step_visitor each) const {
        std::uint64_t best = 0;
        std::uint64_t node = 0;
        while (node < tree.nodes) {
            const std::uint64_t rank = tell_node(node * Keys, sought, each);
            if (rank < Keys) {
                best = node * Keys + rank;
                if (key_at(best) == sought)
                    break;
            }
            node = node * (Keys + 1) + rank + 1;
        }
        return best;
    }
    // Reports a step that counts the keys of a node below the sought key, or up to it where keys are starts.
    std::uint64_t tell_node(std::size_t at, key_type sought, step_visitor each) const {
        std::array<std::uint64_t, Keys> keys;
        std::uint64_t rank = 0;
        for (unsigned k = 0; k < Keys; ++k) {
            keys[k] = shown(key_at(at + k));
            rank += key_at(at + k) < sought || (Starts && key_at(at + k) == sought) ? 1 : 0;
        }
        each({.part = keys_part,
              .at = &stored[at],
              .offset = at * sizeof stored[0],
              .bytes = Keys * sizeof stored[0],
              .bits = key_bits,
              .with = compared::keys,
              .key = shown(sought),
              .values = keys});
        return rank;
    }
    std::uint64_t find(key_type sought, step_visitor each) const {
        if constexpr (Flat)
            return find_in_flat(sought, each);
        else
            return has_tree ? find_in_tree(sought, each) : find_in_ends(sought, each);
    }
    std::uint64_t find_in_ends(key_type sought, step_visitor each) const {
        const auto below = [&](const key_type& end, key_type x) {
            tell_probe({.part = keys_part, .bits = key_bits, .key = shown(x)}, stored.data(), end, shown(end),
                       each);
            return end < x;
        };
        const auto at = std::lower_bound(stored.begin(), stored.end(), sought, below);
        return static_cast<std::uint64_t>(at - stored.begin());
    }
    next_hop find_finer(A a, step_visitor each) const {
        const auto below = [&](const A& end, A x) {
            tell_probe({.part = "finer ends", .bits = A::bits, .key = number_in_step(x)}, finer.ends.data(),
                       end, number_in_step(end), each);
            return end < x;
        };
        const auto at = std::lower_bound(finer.ends.begin(), finer.ends.end(), a, below);
        const auto interval = static_cast<std::size_t>(at - finer.ends.begin());
        const trace_step code{.part = "finer codes",
                              .at = &finer.codes[interval],
                              .offset = interval * sizeof finer.codes[0],
                              .bytes = sizeof finer.codes[0],
                              .key = interval};
        return end_with(code, finer.codes[interval] - 1, each);
    }
    // Reports one probe of a binary search in `array`, where the compared number is `end`.
    template <class T>
    static void tell_probe(trace_step step, const T* array, const T& probed, std::uint64_t end,
                           step_visitor each) {
        step.at = &probed;
        step.offset = static_cast<std::uint64_t>(&probed - array) * sizeof(T);
        step.bytes = sizeof(T);
        step.with = compared::keys;
        step.values = std::span(&end, 1);
        each(step);
    }
    // A next hop's number was read: it is the id, or leads to it.
    next_hop end_with(trace_step last, std::uint32_t number, step_visitor each) const {
        const next_hop hop = codec.decode(number);
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
        return hop;
    }

    // The keys from a position on, of which the last ones are padding.
    void show_keys(std::size_t at, std::size_t count, std::size_t padding, node_contents& to) const {
        to.with = compared::keys;
        for (std::size_t i = at; i < at + count; ++i)
            to.values.push_back(shown(key_at(i)));
        to.padding = padding;
    }
    // The answers from a position on are one node.
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
        std::size_t number = 0; // within the level
    };
    void visit_tree_node(const node_at& at, std::uint64_t slot, node_visitor<A> each) const {
        const bool is_leaf = at.level == tree.levels;
        const std::size_t below = Keys * nodes_at(tree.levels - at.level); // intervals of a node
        const std::size_t from = std::min(at.number * below, intervals());
        const std::size_t to = std::min(from + below, intervals());
        const std::size_t leaves = (intervals() + Keys - 1) / Keys;
        const std::size_t child = at.number * (Keys + 1);
        const std::size_t there = at.level + 1 == tree.levels ? leaves : nodes_at(at.level + 1);
        const std::size_t children =
            is_leaf ? 1 : std::clamp<std::size_t>(there, child, child + Keys + 1) - child;
        const std::size_t key = nodes_at(at.level) - 1 + at.number * Keys;
        // Only addresses whose key is all ones may come to padding.
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
    // The keys of a node behind the last interval. A key of an inner node is one of a leaf below it.
    std::size_t padding_of(const node_at& at, std::size_t below) const noexcept {
        const bool is_leaf = at.level == tree.levels;
        const std::size_t span = is_leaf ? 1 : below / (Keys + 1);
        std::size_t padding = 0;
        for (std::size_t k = 1; k <= Keys; ++k)
            padding += at.number * below + k * span - (Starts && !is_leaf ? 0 : 1) >= intervals() ? 1 : 0;
        return padding;
    }

    // The position of the last interval's key; the keys behind it are equal, and padding.
    std::size_t last_flat_position() const noexcept {
        std::size_t found = 0;
        for (std::size_t node = 0; node < tree.nodes;) {
            std::size_t rank = 0;
            while (rank < Keys && key_at(node * Keys + rank) < all_ones)
                ++rank;
            found = rank < Keys ? node * Keys + rank : found;
            node = node * (Keys + 1) + rank + 1;
        }
        return found;
    }
    struct place {
        std::uint64_t slot = 0;
        unsigned level = 0;
    };
    // A node is reached by the addresses between the neighbouring keys of the node above.
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
