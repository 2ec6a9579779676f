// Shows the nodes of a tree bitmap: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/schemes/tree_bitmap/trie.hpp"

namespace fingerpost::tree_bitmap {

// The initial array is the root, even if it has one entry. The next hops of a node are shown as a separate
// node, and an internal node of split nodes is too. `Trie` gives the number of the internal node.
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
        const node<Stride>& n = in_.at(number);
        const std::uint32_t results = trie<A, Stride>::result_count(n);
        each_({.first = where.first(),
               .last = where.last(),
               .level = level,
               .kind = n.is_end() ? "end node" : "node",
               .part = is_split ? "search nodes" : "nodes",
               .bytes = Trie::bytes_of_node,
               .children =
                   trie<A, Stride>::child_count(n) + (has_internal(number) ? 1 : 0) + (results > 0 ? 1 : 0),
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
                   .offset = n.results * sizeof(next_hop),
                   .contents = [&](node_contents& to) {
                       for (std::uint32_t i = 0; i < results; ++i)
                           to.answers.push_back({i, in_.results()[n.results + i]});
                   }});
        if (n.is_end())
            return;
        std::uint32_t child = n.children;
        for (unsigned i = n.external.next(0); i < n.external.size(); i = n.external.next(i + 1))
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
            const node<Stride>& n = in_.at(number);
            const auto words = words_of(n);
            to.with = compared::bitmap;
            to.bitmaps = {{"prefixes", false}, {n.is_end() ? "longest" : "children"}};
            to.values.assign(words.begin(), words.end());
            to.numbers = {{"first child", n.children}, {"first result", n.results}};
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
