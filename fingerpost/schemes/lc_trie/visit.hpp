// Shows the nodes of an LC-trie: see fib/inspectable.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/lc_trie/view.hpp"

namespace fingerpost::lc_trie {

// The content of a leaf: the bits and next hops of its entry and of the covers, the longest first.
template <class A>
void tell_entry(const lc_trie_view<A>& in, std::uint32_t entry, node_contents& to) {
    const base_entry<A>& leaf = in.base[entry];
    to.with = compared::keys;
    to.values = {slice(leaf.string, 0, leaf.length)};
    to.answers = {{0, leaf.hop}};
    to.numbers = {{"entry", entry}, {"length", leaf.length}};
    for (std::uint32_t at = leaf.chain; at != no_prefix; at = in.prefixes[at].shorter) {
        to.answers.push_back({to.answers.size(), in.prefixes[at].hop});
        to.numbers.push_back({"cover's length", in.prefixes[at].length});
    }
}

// `where` contains the addresses that reach a node: those below it, and others that differ in skipped bits.
template <class A>
void visit_below(const lc_trie_view<A>& in, std::uint32_t node, const prefix<A>& where, unsigned level,
                 std::uint64_t slot, node_visitor<A> each) {
    const trie_node n = in.trie[node];
    const bool is_leaf = n.branch == 0;
    const std::size_t children = is_leaf ? 0 : std::size_t{1} << n.branch;
    each({.first = where.first(),
          .last = where.last(),
          .level = level,
          .kind = is_leaf ? "leaf" : "node",
          .part = "trie",
          .bytes = sizeof n,
          .children = children,
          .offset = std::uint64_t{node} * sizeof n,
          .slot = slot,
          .first_bit = is_leaf ? 0u : where.length + unsigned{n.skip},
          .bits = is_leaf ? in.base[n.at].length : n.branch,
          .contents = [&](node_contents& to) {
              if (is_leaf)
                  tell_entry(in, n.at, to);
              else
                  to.numbers = {{"first child", n.at}, {"branch", n.branch}, {"skip", n.skip}};
          }});
    for (std::size_t i = 0; i < children; ++i) {
        using value = typename A::value_type;
        const auto child = n.at + static_cast<std::uint32_t>(i);
        // Any entry below has the skipped bits.
        std::uint32_t below = child;
        while (in.trie[below].branch != 0)
            below = in.trie[below].at;
        const unsigned begin = where.length + n.skip;
        const A skipped = prefix<A>::make(in.base[in.trie[below].at].string, begin).base;
        const value bits = shift_left(static_cast<value>(i), A::bits - begin - n.branch);
        const A first{static_cast<value>(skipped.value | bits)};
        visit_below(in, child, prefix<A>::make(first, begin + n.branch), level + 1, i, each);
    }
}

template <class A>
void visit(const lc_trie_view<A>& in, node_visitor<A> each) {
    visit_below(in, 0, prefix<A>{}, 0, 0, each);
}

} // namespace fingerpost::lc_trie
