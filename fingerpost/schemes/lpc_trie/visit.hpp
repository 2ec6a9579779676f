// Shows the nodes of the trie, and collects its routes.
#pragma once

#include <algorithm>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/lpc_trie/nodes.hpp"

namespace fingerpost::lpc_trie {

// The position of a node: the level above it and the slot in its parent.
struct node_place {
    unsigned level = 0;
    std::uint32_t slot = 0;
};

// Calls leaf_at(slot, place) for all leaves from left to right, and tnode_at(slot, header, place) for each
// tnode before the nodes below it.
template <class A, class Tnode, class Leaf>
void for_each_node(const nodes<A>& trie_nodes, const slot& at, node_place place, Tnode& tnode_at,
                   Leaf& leaf_at) {
    if (!at.there())
        return;
    if (at.is_leaf())
        return leaf_at(at, place);
    const header<A> h = trie_nodes.head_of(at.offset);
    tnode_at(at, h, place);
    for (std::uint32_t i = 0; i < h.slots(); ++i)
        for_each_node(trie_nodes, trie_nodes.child(at.offset, i), {place.level + 1, i}, tnode_at, leaf_at);
}

// A node covers all addresses within its longest suffix, which are those that it may give an answer to.
template <class A>
void visit(const nodes<A>& trie_nodes, node_visitor<A> each) {
    const auto show = [&](typename A::value_type key, unsigned free_bits, structure_node<A> node) {
        const auto where = prefix<A>::make(A{key}, A::bits - free_bits);
        node.first = where.first();
        node.last = where.last();
        each(node);
    };
    const auto tnode_at = [&](const slot& s, const header<A>& h, node_place place) {
        show(h.key, std::max<unsigned>(s.pos + s.bits, s.suffix),
             {.level = place.level,
              .kind = "tnode",
              .part = "tnodes",
              .bytes = std::uint64_t{trie_nodes.words_of(s.bits)} * 8,
              .children = h.used_slots(),
              .offset = std::uint64_t{s.offset} * 8,
              .slot = place.slot,
              .first_bit = A::bits - h.pos - h.bits,
              .bits = h.bits,
              .contents = [&](node_contents& to) {
                  const unsigned above = A::bits - h.pos - h.bits;
                  to.numbers = {{"key", slice(A{h.key}, 0, above)},
                                {"key's bits", above},
                                {"pos", h.pos},
                                {"suffix", h.suffix},
                                {"empty", h.empty},
                                {"full", h.full}};
                  if (h.parent != nil)
                      to.numbers.push_back({"parent", h.parent});
              }});
    };
    const auto leaf_at = [&](const slot& s, node_place place) {
        const auto& leaf = trie_nodes.leaves[s.offset];
        const auto show_route = [&](const auto& node, std::uint32_t number, unsigned free_bits,
                                    structure_node<A> shown) {
            const auto tell = [&](node_contents& to) {
                to.with = compared::keys;
                to.values = {slice(A{leaf.key}, 0, A::bits - node.suffix)};
                to.answers = {{0, node.hop}};
                if (node.next != nil)
                    to.numbers = {{"next", node.next}};
            };
            shown.bytes = sizeof node;
            shown.offset = std::uint64_t{number} * sizeof node;
            shown.bits = A::bits - node.suffix;
            shown.contents = tell;
            show(leaf.key, free_bits, shown);
        };
        std::size_t more = 0;
        for (std::uint32_t i = leaf.next; i != nil; i = trie_nodes.aliases[i].next)
            ++more;
        show_route(
            leaf, s.offset, s.suffix,
            {.level = place.level, .kind = "leaf", .part = "leaves", .children = more, .slot = place.slot});
        for (std::uint32_t i = leaf.next; i != nil; i = trie_nodes.aliases[i].next)
            show_route(trie_nodes.aliases[i], i, trie_nodes.aliases[i].suffix,
                       {.level = place.level + 1, .kind = "alias", .part = "aliases"});
    };
    for_each_node(trie_nodes, trie_nodes.root, {}, tnode_at, leaf_at);
}

// All routes, in prefix order. Throws std::bad_alloc.
template <class A>
std::vector<route<A>> sorted_routes(const nodes<A>& trie_nodes) {
    std::vector<route<A>> routes;
    routes.reserve(trie_nodes.leaves.size() + trie_nodes.aliases.size());
    const auto tnode_at = [](const slot&, const header<A>&, node_place) {};
    const auto leaf_at = [&](const slot& s, node_place) {
        const auto& leaf = trie_nodes.leaves[s.offset];
        const std::size_t first = routes.size();
        const auto add = [&](next_hop hop, unsigned suffix) {
            routes.push_back({prefix<A>::make(A{leaf.key}, A::bits - suffix), hop});
        };
        add(leaf.hop, leaf.suffix);
        for (std::uint32_t i = leaf.next; i != nil; i = trie_nodes.aliases[i].next)
            add(trie_nodes.aliases[i].hop, trie_nodes.aliases[i].suffix);
        std::reverse(routes.begin() + static_cast<std::ptrdiff_t>(first), routes.end());
    };
    for_each_node(trie_nodes, trie_nodes.root, {}, tnode_at, leaf_at);
    return routes;
}

} // namespace fingerpost::lpc_trie
