// Shows the steps of a lookup in a linearized B+-tree, and its nodes: see fib/inspectable.hpp.
//
//     level   0 ... levels    nodes of keys         root, inner nodes, leaves
//             levels + 1      answers               one for each interval
//             levels + 2      finer intervals       below the answers that are escapes
//
// Without a tree the sorted ends are one node, with the answers below it. In the flat B-tree every node has
// answers below it, besides its children.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
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
    unsigned levels; // above the leaves
    const tree_view<key_type>& tree;
    answer_width width;
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
                                .key = interval,
                                .found = number,
                                .kind = escaped ? "escape" : "interval",
                                .level = answers_level()};
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
            return visit_flat(each);
        if constexpr (has_tree)
            visit_tree(each);
        else
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "array",
                  .part = keys_part,
                  .bytes = stored.size_bytes(),
                  .children = intervals()});
        const std::vector<std::size_t> below = count_finer();
        for (std::size_t i = 0; i < intervals(); ++i)
            each({.first = first_of(i),
                  .last = last_of(i),
                  .level = answers_level(),
                  .kind = is_escape(i) ? "escape" : "interval",
                  .part = "answers",
                  .bytes = answer_bytes(),
                  .children = below[i]});
        visit_finer(below, answers_level() + 1, each);
    }

  private:
    static constexpr unsigned key_bits = std::min(A::bits, 64u);

    std::size_t intervals() const noexcept { return tree.last_interval + 1; }
    unsigned answers_level() const noexcept { return has_tree ? levels + 1 : 1; }
    std::uint32_t answer_bytes() const noexcept { return width == answer_width::two_bytes ? 2 : 4; }
    std::uint32_t code_of(std::uint64_t interval) const noexcept {
        return width == answer_width::two_bytes ? static_cast<const std::uint16_t*>(tree.answers)[interval]
                                                : static_cast<const std::uint32_t*>(tree.answers)[interval];
    }
    bool is_escape(std::uint64_t interval) const noexcept { return code_of(interval) == codec.escape(); }
    key_type key_at(std::size_t offset) const noexcept { return stored[offset] ^ bias; }
    // The number of nodes of a full level.
    static std::size_t nodes_at(unsigned level) noexcept {
        std::size_t count = 1;
        for (unsigned i = 0; i < level; ++i)
            count *= Keys + 1;
        return count;
    }
    std::size_t leaf_offset() const noexcept { return has_tree ? nodes_at(levels) - 1 : 0; }

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
        std::array<std::uint64_t, Keys> keys{};
        for (unsigned level = 0;; ++level) {
            // An address past every start walks through sentinels, and is moved back to the last leaf.
            if (Starts && level == levels)
                at = std::min<std::size_t>(at, leaves + tree.last_interval / Keys * Keys);
            for (unsigned k = 0; k < Keys; ++k)
                keys[k] = key_at(at + k);
            const auto rank =
                static_cast<std::uint64_t>(std::count_if(keys.begin(), keys.end(), [&](std::uint64_t k) {
                    return Starts ? k <= sought : k < sought;
                }));
            std::uint64_t found = rank;
            if (level == levels) {
                found = at + rank - leaves - (Starts ? 1 : 0);
                found = std::min(found, tree.last_interval);
            }
            each({.part = keys_part,
                  .at = &stored[at],
                  .offset = at * sizeof stored[0],
                  .bytes = Keys * sizeof stored[0],
                  .bits = key_bits,
                  .with = compared::keys,
                  .key = sought,
                  .values = keys,
                  .found = found,
                  .kind = level == levels ? "leaf" : "node",
                  .level = level});
            if (level == levels)
                return found;
            at = at * (Keys + 1) + (rank + 1) * Keys;
        }
    }
    // As the kernel does; returns the position of the answer.
    std::uint64_t find_in_flat(key_type sought, step_visitor each) const {
        std::uint64_t best = 0;
        std::uint64_t node = 0;
        std::array<std::uint64_t, Keys> keys{};
        for (unsigned level = 0; node < tree.nodes; ++level) {
            const std::uint64_t rank = tell_node(node * Keys, sought, keys, level, "node", each);
            if (rank < Keys) {
                best = node * Keys + rank;
                if (keys[rank] == sought)
                    break;
            }
            node = node * (Keys + 1) + rank + 1;
        }
        return best;
    }
    // Reports a step that counts the keys of a node below the sought key.
    std::uint64_t tell_node(std::size_t at, key_type sought, std::array<std::uint64_t, Keys>& keys,
                            unsigned level, std::string_view kind, step_visitor each) const {
        for (unsigned k = 0; k < Keys; ++k)
            keys[k] = key_at(at + k);
        const auto rank = static_cast<std::uint64_t>(
            std::count_if(keys.begin(), keys.end(), [&](std::uint64_t k) { return k < sought; }));
        each({.part = keys_part,
              .at = &stored[at],
              .offset = at * sizeof stored[0],
              .bytes = Keys * sizeof stored[0],
              .bits = key_bits,
              .with = compared::keys,
              .key = sought,
              .values = keys,
              .found = rank,
              .kind = kind,
              .level = level});
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
            tell_probe({.part = keys_part, .bits = key_bits, .key = x, .kind = "array"}, stored.data(), end,
                       end, each);
            return end < x;
        };
        const auto at = std::lower_bound(stored.begin(), stored.end(), sought, below);
        return static_cast<std::uint64_t>(at - stored.begin());
    }
    next_hop find_finer(A a, step_visitor each) const {
        const auto below = [&](const A& end, A x) {
            const trace_step like{.part = "finer ends",
                                  .bits = A::bits,
                                  .key = number_in_step(x),
                                  .kind = "finer interval",
                                  .level = answers_level() + 1};
            tell_probe(like, finer.ends.data(), end, number_in_step(end), each);
            return end < x;
        };
        const auto at = std::lower_bound(finer.ends.begin(), finer.ends.end(), a, below);
        const auto interval = static_cast<std::size_t>(at - finer.ends.begin());
        const trace_step code{.part = "finer codes",
                              .at = &finer.codes[interval],
                              .offset = interval * sizeof finer.codes[0],
                              .bytes = sizeof finer.codes[0],
                              .key = interval,
                              .found = finer.codes[interval] - 1};
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
        step.found = end < step.key ? 1 : 0;
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
        last.found = hop.id;
        each(last);
        return hop;
    }

    void visit_tree(node_visitor<A> each) const {
        const std::size_t leaves = (intervals() + Keys - 1) / Keys;
        for (unsigned level = 0; level <= levels; ++level) {
            const bool is_leaf = level == levels;
            const std::size_t below = nodes_at(levels - level); // leaves of a node
            const std::size_t there = is_leaf ? leaves : nodes_at(level);
            for (std::size_t n = 0; n < there; ++n) {
                const std::size_t from = n * below * Keys;
                const std::size_t to = std::min(from + below * Keys, intervals());
                structure_node<A> node{.first = A::last(),
                                       .last = A::last(),
                                       .level = level,
                                       .kind = "padding", // no address gets here, so any range will do
                                       .part = keys_part,
                                       .bytes = Keys * sizeof stored[0],
                                       .children = Keys + 1};
                if (from < to) {
                    node.first = first_of(from);
                    node.last = last_of(to - 1);
                    node.kind = is_leaf ? "leaf" : "node";
                }
                if (is_leaf)
                    node.children = to - from;
                else if (level + 1 == levels)
                    node.children = std::clamp<std::size_t>(leaves, n * (Keys + 1), (n + 1) * (Keys + 1)) -
                                    n * (Keys + 1);
                each(node);
            }
        }
    }

    // Visits each node, the intervals that end at its keys, and the finer intervals below these. A node is
    // reached by the addresses between the neighbouring keys of the node above. Padding, which ends at the
    // last address like the last interval, is left out.
    void visit_flat(node_visitor<A> each) const {
        struct interval {
            A first;
            std::size_t finer_from = 0;
            std::size_t finer = 0;
            bool real = false;
        };
        std::vector<interval> all(stored.size());
        A next = A::first();
        std::size_t at = 0;
        bool past = false;
        auto place = [&](std::size_t position) {
            interval& here = all[position];
            here = {next, at, 0, !past};
            const A last = address_of(key_at(position));
            for (; !past && is_escape(position) && at < finer.size() && !(last < finer.ends[at]); ++at)
                ++here.finer;
            past = past || last == A::last();
            next = A{static_cast<value>(last.value + 1)};
        };
        for_each_flat_position<Keys>(tree.nodes, place);
        const auto tell_interval = [&](std::size_t position, unsigned level) {
            const interval& here = all[position];
            each({.first = here.first,
                  .last = address_of(key_at(position)),
                  .level = level,
                  .kind = is_escape(position) ? "escape" : "interval",
                  .part = "answers",
                  .bytes = answer_bytes(),
                  .children = here.finer});
            A start = here.first;
            for (std::size_t i = here.finer_from; i < here.finer_from + here.finer; ++i) {
                each({.first = start,
                      .last = finer.ends[i],
                      .level = level + 1,
                      .kind = "finer interval",
                      .part = "finer ends",
                      .bytes = sizeof(A)});
                start = A{static_cast<value>(finer.ends[i].value + 1)};
            }
        };
        const auto visit_node = [&](const auto& self, std::size_t node, A from, A to,
                                    unsigned level) -> void {
            const std::size_t child = node * (Keys + 1) + 1;
            std::size_t children =
                child < tree.nodes ? std::min<std::size_t>(Keys + 1, tree.nodes - child) : 0;
            for (std::size_t k = 0; k < Keys; ++k)
                children += all[node * Keys + k].real ? 1 : 0;
            each({.first = from,
                  .last = to,
                  .level = level,
                  .kind = "node",
                  .part = keys_part,
                  .bytes = Keys * sizeof stored[0],
                  .children = children});
            for (std::size_t k = 0; k < Keys; ++k)
                if (all[node * Keys + k].real)
                    tell_interval(node * Keys + k, level + 1);
            A start = from;
            for (std::size_t k = 0; k <= Keys && child + k < tree.nodes; ++k) {
                const A end = k < Keys ? address_of(key_at(node * Keys + k)) : to;
                self(self, child + k, start, end, level + 1);
                start = end == A::last() ? end : A{static_cast<value>(end.value + 1)};
            }
        };
        visit_node(visit_node, 0, A::first(), A::last(), 0);
    }

    // The number of finer intervals in each interval.
    std::vector<std::size_t> count_finer() const {
        std::vector<std::size_t> below(intervals());
        std::size_t at = 0;
        for (std::size_t i = 0; i < intervals(); ++i)
            for (; is_escape(i) && at < finer.size() && !(last_of(i) < finer.ends[at]); ++at)
                ++below[i];
        return below;
    }
    void visit_finer(const std::vector<std::size_t>& below, unsigned level, node_visitor<A> each) const {
        std::size_t at = 0;
        for (std::size_t i = 0; i < intervals(); ++i) {
            A first = first_of(i);
            for (std::size_t k = 0; k < below[i]; ++k, ++at) {
                each({.first = first,
                      .last = finer.ends[at],
                      .level = level,
                      .kind = "finer interval",
                      .part = "finer ends",
                      .bytes = sizeof(A)});
                first = A{static_cast<value>(finer.ends[at].value + 1)};
            }
        }
    }
};

} // namespace fingerpost::planb
