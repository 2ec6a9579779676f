// Shows the steps of a lookup in a tree bitmap, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/fib/inspectable.hpp"
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
    now.found = entry.node == no_node ? entry.hop.id : entry.node;
    each(now);
    return entry;
}
inline next_hop tell_result(const next_hop* results, std::uint32_t place, step_visitor each) {
    trace_step now = read("results", results + place, place, sizeof *results);
    now.key = place;
    now.result = outcome::answered;
    now.found = results[place].id;
    each(now);
    return results[place];
}

} // namespace detail

template <class A, unsigned Stride>
next_hop trace(const trie<A, Stride>& in, std::span<const initial_entry> initial, unsigned initial_bits, A a,
               step_visitor each) {
    using node_type = node<Stride>;
    const auto& ancestors = detail::ancestors<Stride>;
    const initial_entry entry = detail::tell_initial(initial, initial_bits, a, each);
    if (entry.node == no_node)
        return entry.hop;

    std::uint32_t result = no_node; // the place of the longest match so far
    std::uint32_t number = entry.node;
    for (unsigned depth = initial_bits;; depth += Stride) {
        const node_type& here = in.at(number);
        const unsigned slot = trie<A, Stride>::slot_of(a, depth);
        const bool leads_on = here.external.test(slot);
        if (here.is_end() && leads_on)
            result = here.results + here.external_place(slot);
        else if (here.internal.has_common(ancestors[slot]))
            result = here.results + here.internal_place(here.internal.highest_common(ancestors[slot]));
        std::array<std::uint64_t, 2 * decltype(here.internal)::words> words{};
        std::copy(here.external.bits.begin(), here.external.bits.end(),
                  std::copy(here.internal.bits.begin(), here.internal.bits.end(), words.begin()));
        trace_step now = detail::read("nodes", &here, number, sizeof here);
        now.first_bit = depth;
        now.bits = std::min(Stride, A::bits - depth);
        now.with = compared::bitmap;
        now.key = slot;
        now.values = words;
        const bool goes_on = leads_on && !here.is_end();
        number = goes_on ? here.children + here.external.rank_before(slot) : no_node;
        now.result = goes_on || result != no_node ? outcome::goes_on : outcome::missed;
        now.found = goes_on ? number : result;
        each(now);
        if (!goes_on)
            break;
    }
    return result == no_node ? entry.hop : detail::tell_result(in.results(), result, each);
}

// The initial array is the root, even if it has one entry. If nodes are split (`Trie` tells which of them
// have an internal node), an internal node counts as a node of its own.
template <class A, unsigned Stride, class Trie>
class visitor {
    static constexpr bool is_split = !std::is_same_v<Trie, trie<A, Stride>>;

  public:
    visitor(const Trie& in, node_visitor<A> each) : in_(in), each_(each) {}

    void visit(std::span<const initial_entry> initial, unsigned initial_bits) const {
        const auto has_node = [](const initial_entry& e) { return e.node != no_node; };
        each_(
            {.first = A::first(),
             .last = A::last(),
             .kind = "array",
             .part = "initial array",
             .bytes = initial.size_bytes(),
             .children = static_cast<std::size_t>(std::count_if(initial.begin(), initial.end(), has_node))});
        for (std::size_t i = 0; i < initial.size(); ++i)
            if (has_node(initial[i]))
                visit_below(initial[i].node, longer(prefix<A>{}, i, initial_bits), 1);
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
    void visit_below(std::uint32_t number, const prefix<A>& where, unsigned level) const {
        const node<Stride>& here = in_.at(number);
        each_({.first = where.first(),
               .last = where.last(),
               .level = level,
               .kind = here.is_end() ? "end node" : "node",
               .part = is_split ? "search nodes" : "nodes",
               .bytes = Trie::bytes_of_node,
               .children = trie<A, Stride>::child_count(here) + (has_internal(number) ? 1 : 0)});
        if (has_internal(number))
            each_({.first = where.first(),
                   .last = where.last(),
                   .level = level + 1,
                   .kind = "internal node",
                   .part = "internal nodes",
                   .bytes = sizeof(internal_node),
                   .children = 0});
        if (here.is_end())
            return;
        std::uint32_t child = here.children;
        for (unsigned slot = here.external.next(0); slot < here.external.size();
             slot = here.external.next(slot + 1))
            visit_below(child++, longer(where, slot, Stride), level + 1);
    }

    bool has_internal(std::uint32_t number) const {
        if constexpr (is_split)
            return in_.has_internal(number);
        else
            return false;
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
