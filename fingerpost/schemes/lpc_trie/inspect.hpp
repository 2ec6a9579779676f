// Shows the steps of a lookup, and the nodes of the trie.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/lpc_trie/walk.hpp"

namespace fingerpost::lpc_trie {

// Reports a step for each read of a walk; for a tnode its header, then a slot.
template <class A>
class tracer {
  public:
    tracer(const nodes<A>& all, A sought, step_visitor each) noexcept
        : all_(all), sought_(sought), each_(each) {}

    void key(std::uint32_t tnode, const slot& s, bool goes_on) const {
        const std::uint64_t stored = number_in_step(A{all_.head_of(tnode).key});
        each_({.part = "tnodes",
               .at = all_.tnodes.at(tnode),
               .offset = std::uint64_t{tnode} * 8,
               .bytes = sizeof(header<A>),
               .bits = A::bits - s.pos - s.bits,
               .with = compared::keys,
               .key = number_in_step(sought_),
               .values = std::span(&stored, 1),
               .result = goes_on ? outcome::goes_on : outcome::missed});
    }
    void slot_at(std::uint32_t tnode, std::uint32_t i, const slot&, bool goes_on) const {
        const header<A> h = all_.head_of(tnode);
        each_({.part = "tnodes",
               .at = all_.slot_at(tnode, i),
               .offset = (std::uint64_t{tnode} + all_.head_words + i) * 8,
               .bytes = sizeof(slot),
               .first_bit = A::bits - h.pos - h.bits,
               .bits = h.bits,
               .key = i,
               .result = goes_on ? outcome::goes_on : outcome::missed});
    }
    void leaf(std::uint32_t number, bool fits) const {
        compare("leaves", all_.leaves[number], number, number, fits);
    }
    // Reports another suffix with which the leaf's key may match; the key is not read again.
    void alias(std::uint32_t leaf, std::uint32_t number, bool fits) const {
        compare("aliases", all_.aliases[number], number, leaf, fits);
    }

  private:
    template <class Node>
    void compare(std::string_view part, const Node& read, std::uint32_t number, std::uint32_t leaf,
                 bool fits) const {
        const std::uint64_t stored = number_in_step(A{all_.leaves[leaf].key});
        each_({.part = part,
               .at = &read,
               .offset = std::uint64_t{number} * sizeof(Node),
               .bytes = sizeof(Node),
               .bits = A::bits - read.suffix,
               .with = compared::keys,
               .key = number_in_step(sought_),
               .values = std::span(&stored, 1),
               .result = fits ? outcome::answered : outcome::missed});
    }

    const nodes<A>& all_;
    A sought_;
    step_visitor each_;
};

template <class A>
next_hop trace(const nodes<A>& all, A a, step_visitor each) {
    const walker<A> way(all);
    const tracer<A> watch(all, a, each);
    walk<A> w = way.start(a);
    while (way.step(w, watch)) {
    }
    return w.best;
}

// Where a node is: below which level, in which slot of its parent.
struct node_place {
    unsigned level = 0;
    std::uint32_t slot = 0;
};

// Calls leaf_at(slot, place) for all leaves from left to right, and tnode_at(slot, header, place) for all
// tnodes, before the nodes below them.
template <class A, class Tnode, class Leaf>
void for_each_node(const nodes<A>& all, const slot& at, node_place place, Tnode& tnode_at, Leaf& leaf_at) {
    if (!at.there())
        return;
    if (at.is_leaf())
        return leaf_at(at, place);
    const header<A> h = all.head_of(at.offset);
    tnode_at(at, h, place);
    for (std::uint32_t i = 0; i < h.slots(); ++i)
        for_each_node(all, all.child(at.offset, i), {place.level + 1, i}, tnode_at, leaf_at);
}

// A node covers the addresses that can get an answer from it: as far as its longest suffix reaches.
template <class A>
void visit(const nodes<A>& all, node_visitor<A> each) {
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
              .bytes = std::uint64_t{all.words_of(s.bits)} * 8,
              .children = h.taken(),
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
        const auto& leaf = all.leaves[s.offset];
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
        for (std::uint32_t i = leaf.next; i != nil; i = all.aliases[i].next)
            ++more;
        show_route(
            leaf, s.offset, s.suffix,
            {.level = place.level, .kind = "leaf", .part = "leaves", .children = more, .slot = place.slot});
        for (std::uint32_t i = leaf.next; i != nil; i = all.aliases[i].next)
            show_route(all.aliases[i], i, all.aliases[i].suffix,
                       {.level = place.level + 1, .kind = "alias", .part = "aliases"});
    };
    for_each_node(all, all.root, {}, tnode_at, leaf_at);
}

// All routes, in prefix order. Throws std::bad_alloc.
template <class A>
std::vector<route<A>> sorted_routes(const nodes<A>& all) {
    std::vector<route<A>> found;
    found.reserve(all.leaves.size() + all.aliases.size());
    const auto tnode_at = [](const slot&, const header<A>&, node_place) {};
    const auto leaf_at = [&](const slot& s, node_place) {
        const auto& leaf = all.leaves[s.offset];
        const std::size_t first = found.size();
        const auto add = [&](next_hop hop, unsigned suffix) {
            found.push_back({prefix<A>::make(A{leaf.key}, A::bits - suffix), hop});
        };
        add(leaf.hop, leaf.suffix);
        for (std::uint32_t i = leaf.next; i != nil; i = all.aliases[i].next)
            add(all.aliases[i].hop, all.aliases[i].suffix);
        std::reverse(found.begin() + static_cast<std::ptrdiff_t>(first), found.end());
    };
    for_each_node(all, all.root, {}, tnode_at, leaf_at);
    return found;
}

} // namespace fingerpost::lpc_trie
