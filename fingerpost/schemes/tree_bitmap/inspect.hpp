// Shows the steps of a lookup in a tree bitmap, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/schemes/tree_bitmap/trie.hpp"

namespace fingerpost::tree_bitmap {

namespace detail {

template <unsigned Stride>
inline constexpr ancestor_table<Stride> ancestors = make_ancestors<Stride>();

inline trace_step read(std::string_view part, const void* at, std::size_t place, std::size_t bytes) {
    return {.part = part, .at = at, .offset = place * bytes, .bytes = static_cast<std::uint32_t>(bytes)};
}

// The first step and the last one.
template <class A>
initial_entry tell_initial(std::span<const initial_entry> initial, unsigned initial_bits, A a,
                           step_visitor each) {
    const std::uint64_t first = slice(a, 0, initial_bits);
    const initial_entry entry = initial[first];
    trace_step now = read("initial array", &initial[first], first, sizeof entry);
    now.bits = initial_bits;
    now.key = first;
    now.result = entry.node == no_node ? outcome::answered : outcome::goes_on;
    now.best = entry.hop;
    each(now);
    return entry;
}
inline next_hop tell_result(const next_hop* results, std::uint32_t place, step_visitor each) {
    trace_step now = read("results", results + place, place, sizeof *results);
    now.key = place;
    now.result = outcome::answered;
    now.best = results[place];
    each(now);
    return results[place];
}

// The internal bits and then the external ones, without the mark of an end node, which is no route.
template <unsigned Stride>
auto words_of(const node<Stride>& n) noexcept {
    auto internal = n.internal;
    internal.clear(0);
    std::array<std::uint64_t, 2 * decltype(internal)::words> words{};
    std::copy(n.external.bits.begin(), n.external.bits.end(),
              std::copy(internal.bits.begin(), internal.bits.end(), words.begin()));
    return words;
}
// The bit of a node that stands for the longest match of a slot, and how it leads to the result; of no words
// if there is none.
struct node_match {
    matched_bit bit{};
    bit_count counted{};
};
template <unsigned Stride>
node_match match_in(const node<Stride>& n, unsigned slot) noexcept {
    constexpr unsigned words = decltype(n.internal)::words;
    const auto& covering = ancestors<Stride>[slot];
    if (n.is_end() && n.external.test(slot))
        return {{words * 64 + slot, Stride},
                {0, 2 * words, n.results, n.external_place(slot), sizeof(next_hop)}};
    if (!n.internal.has_common(covering))
        return {};
    const unsigned bit = n.internal.highest_common(covering);
    return {{bit, length_of_base_index(bit)}, {0, words, n.results, n.internal_place(bit), sizeof(next_hop)}};
}

} // namespace detail

template <class A, unsigned Stride>
next_hop trace(const trie<A, Stride>& in, std::span<const initial_entry> initial, unsigned initial_bits, A a,
               step_visitor each) {
    using node_type = node<Stride>;
    constexpr unsigned external_words = decltype(node_type::external)::words;
    const initial_entry entry = detail::tell_initial(initial, initial_bits, a, each);
    if (entry.node == no_node)
        return entry.hop;

    std::uint32_t result = no_node; // the place of the longest match so far
    std::uint32_t number = entry.node;
    for (unsigned depth = initial_bits;; depth += Stride) {
        const node_type& here = in.at(number);
        const unsigned slot = trie<A, Stride>::slot_of(a, depth);
        const bool goes_on = here.external.test(slot) && !here.is_end();
        const auto [match, to_result] = detail::match_in(here, slot);
        if (to_result.words != 0)
            result = static_cast<std::uint32_t>(to_result.base + to_result.rank);
        const auto words = detail::words_of(here);
        trace_step now = detail::read("nodes", &here, number, sizeof here);
        now.first_bit = depth;
        now.bits = std::min(Stride, A::bits - depth);
        now.with = compared::bitmap;
        now.key = slot;
        now.values = words;
        now.counted = to_result;
        if (to_result.words != 0)
            now.matched = match;
        if (goes_on && to_result.words != 0) {
            now.matched->part = "results";
            now.matched->entry = result;
        }
        if (goes_on)
            now.counted = {external_words, external_words, here.children, here.external.rank_before(slot),
                           sizeof here};
        now.result = goes_on || result != no_node ? outcome::goes_on : outcome::missed;
        now.best = result == no_node ? entry.hop : in.results()[result];
        each(now);
        if (!goes_on)
            break;
        number = here.children + here.external.rank_before(slot);
    }
    return result == no_node ? entry.hop : detail::tell_result(in.results(), result, each);
}

// The initial array is the root, even if it has one entry. The next hops of a node count as a node of their
// own, and so does an internal node if nodes are split; `Trie` tells which of them have one.
template <class A, unsigned Stride, class Trie>
class visitor {
    static constexpr bool is_split = !std::is_same_v<Trie, trie<A, Stride>>;

  public:
    visitor(const Trie& in, node_visitor<A> each) : in_(in), each_(each) {}

    void visit(std::span<const initial_entry> initial, unsigned initial_bits) const {
        const auto has_node = [](const initial_entry& e) { return e.node != no_node; };
        each_({.first = A::first(),
               .last = A::last(),
               .kind = "array",
               .part = "initial array",
               .bytes = initial.size_bytes(),
               .children = static_cast<std::size_t>(std::count_if(initial.begin(), initial.end(), has_node)),
               .bits = initial_bits,
               .contents = [&](node_contents& to) {
                   for (std::size_t i = 0; i < initial.size(); ++i)
                       add_answer(to, i, initial[i].hop);
               }});
        for (std::size_t i = 0; i < initial.size(); ++i)
            if (has_node(initial[i]))
                visit_below(initial[i].node, longer(prefix<A>{}, i, initial_bits), 1, i);
    }

  private:
    // The prefix with `count` more bits, or fewer if the address ends.
    static prefix<A> longer(const prefix<A>& above, std::uint64_t bits, unsigned count) {
        using value = typename A::value_type;
        const unsigned added = std::min(count, A::bits - above.length);
        const unsigned length = above.length + added;
        const auto lower = static_cast<value>(bits >> (count - added));
        const auto moved = static_cast<value>(shift_left(lower, A::bits - length));
        return prefix<A>::make(A{static_cast<value>(above.base.value | moved)}, length);
    }
    void visit_below(std::uint32_t number, const prefix<A>& where, unsigned level, std::uint64_t slot) const {
        const node<Stride>& here = in_.at(number);
        const std::uint32_t results = trie<A, Stride>::result_count(here);
        each_({.first = where.first(),
               .last = where.last(),
               .level = level,
               .kind = here.is_end() ? "end node" : "node",
               .part = is_split ? "search nodes" : "nodes",
               .bytes = Trie::bytes_of_node,
               .children = trie<A, Stride>::child_count(here) + (has_internal(number) ? 1 : 0) +
                           (results > 0 ? 1 : 0),
               .offset = std::uint64_t{number} * Trie::bytes_of_node,
               .slot = slot,
               .first_bit = where.length,
               .bits = std::min(Stride, A::bits - where.length),
               .contents = [&](node_contents& to) { tell(number, to); }});
        visit_internal(number, where, level + 1);
        if (results > 0)
            each_({.first = where.first(),
                   .last = where.last(),
                   .level = level + 1,
                   .kind = "results",
                   .part = "results",
                   .bytes = results * sizeof(next_hop),
                   .offset = here.results * sizeof(next_hop),
                   .contents = [&](node_contents& to) {
                       for (std::uint32_t i = 0; i < results; ++i)
                           to.answers.push_back({i, in_.results()[here.results + i]});
                   }});
        if (here.is_end())
            return;
        std::uint32_t child = here.children;
        for (unsigned i = here.external.next(0); i < here.external.size(); i = here.external.next(i + 1))
            visit_below(child++, longer(where, i, Stride), level + 1, i);
    }

    bool has_internal(std::uint32_t number) const {
        if constexpr (is_split)
            return in_.internal_of(number) != 0;
        else
            return false;
    }
    void tell(std::uint32_t number, node_contents& to) const {
        if constexpr (is_split) {
            in_.tell(number, to);
        } else {
            const node<Stride>& here = in_.at(number);
            const auto words = detail::words_of(here);
            to.with = compared::bitmap;
            to.bitmaps = {{"prefixes", false}, {here.is_end() ? "longest" : "children"}};
            to.values.assign(words.begin(), words.end());
            to.numbers = {{"first child", here.children}, {"first result", here.results}};
        }
    }
    void visit_internal(std::uint32_t number, const prefix<A>& where, unsigned level) const {
        if constexpr (is_split)
            if (has_internal(number))
                each_({.first = where.first(),
                       .last = where.last(),
                       .level = level,
                       .kind = "internal node",
                       .part = "internal nodes",
                       .bytes = sizeof(internal_node),
                       .offset = in_.internal_of(number) * sizeof(internal_node),
                       .first_bit = where.length,
                       .bits = std::min(Stride, A::bits - where.length),
                       .contents = [&](node_contents& to) { in_.tell_internal(number, to); }});
    }

    const Trie& in_;
    node_visitor<A> each_;
};

template <class A, unsigned Stride, class Trie>
void visit(const Trie& in, std::span<const initial_entry> initial, unsigned initial_bits,
           node_visitor<A> each) {
    visitor<A, Stride, Trie>(in, each).visit(initial, initial_bits);
}

} // namespace fingerpost::tree_bitmap
