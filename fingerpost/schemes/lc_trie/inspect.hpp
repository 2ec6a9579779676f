// Shows the steps of a lookup in an LC-trie, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/lc_trie/view.hpp"

namespace fingerpost::lc_trie {

inline constexpr std::string_view trie_part = "trie", base_part = "base", prefixes_part = "prefixes";

template <class A>
next_hop trace(const lc_trie_view<A>& in, A a, step_visitor each) {
    const auto read = [](std::string_view part, const auto* array, std::size_t place) {
        return trace_step{.part = part,
                          .at = array + place,
                          .offset = place * sizeof *array,
                          .bytes = sizeof *array,
                          .key = place};
    };
    auto walk = in.start(a);
    for (unsigned pos = 0;;) {
        const trie_node here = in.trie[walk.node];
        trace_step now = read(trie_part, in.trie, walk.node);
        now.first_bit = pos + here.skip;
        now.bits = here.branch;
        const bool goes_on = in.step(walk);
        now.key = slice(a, now.first_bit, now.bits);
        now.found = walk.node;
        each(now);
        pos = now.first_bit + now.bits;
        if (!goes_on)
            break;
    }
    const next_hop right = in.answer(walk);
    const base_entry<A>& found = in.base[walk.node];
    const unsigned common = common_length(a, found.string);
    const auto tell = [&](trace_step now, unsigned length, std::uint32_t next) {
        now.bits = length;
        now.result = length <= common ? outcome::answered : outcome::missed;
        now.found = length <= common ? right.id : next;
        each(now);
        return length > common;
    };
    bool missed = tell(read(base_part, in.base, walk.node), found.length, found.chain);
    for (std::uint32_t at = found.chain; missed && at != no_prefix; at = in.prefixes[at].shorter)
        missed = tell(read(prefixes_part, in.prefixes, at), in.prefixes[at].length, in.prefixes[at].shorter);
    return right;
}

// `where` is the addresses that reach a node: those below it, and others that differ in skipped bits.
template <class A>
void visit_below(const lc_trie_view<A>& in, std::uint32_t node, const prefix<A>& where, unsigned level,
                 node_visitor<A> each) {
    const trie_node here = in.trie[node];
    const std::size_t children = here.branch == 0 ? 0 : std::size_t{1} << here.branch;
    each({.first = where.first(),
          .last = where.last(),
          .level = level,
          .kind = here.branch == 0 ? "leaf" : "node",
          .part = trie_part,
          .bytes = sizeof here,
          .children = children});
    for (std::size_t i = 0; i < children; ++i) {
        using value = typename A::value_type;
        const auto child = here.at + static_cast<std::uint32_t>(i);
        // Any entry below has the skipped bits.
        std::uint32_t below = child;
        while (in.trie[below].branch != 0)
            below = in.trie[below].at;
        const unsigned begin = where.length + here.skip;
        const A skipped = prefix<A>::make(in.base[in.trie[below].at].string, begin).base;
        const value bits = shift_left(static_cast<value>(i), A::bits - begin - here.branch);
        const A first{static_cast<value>(skipped.value | bits)};
        visit_below(in, child, prefix<A>::make(first, begin + here.branch), level + 1, each);
    }
}

template <class A>
void visit(const lc_trie_view<A>& in, node_visitor<A> each) {
    visit_below(in, 0, prefix<A>{}, 0, each);
}

} // namespace fingerpost::lc_trie
