// Shows the nodes of the trie: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/bart/trie.hpp"

namespace fingerpost::bart {

// A node's children and its next hops are shown as two more nodes. Leaves and fringes are nodes too; the only
// memory of a fringe is its entry among the children.
template <class A>
class visitor {
    using value = typename A::value_type;

  public:
    visitor(const trie<A>& in, node_visitor<A> each) : in_(in), each_(each) {}

    void visit(std::uint32_t number, const prefix<A>& where, unsigned level, unsigned slot) const {
        const node& n = in_.at(number);
        const std::size_t children = n.children.count(), hops = n.prefixes.count();
        show(where, {.level = level,
                     .kind = "node",
                     .part = "nodes",
                     .bytes = sizeof n,
                     .children = children + (children > 0 ? 1 : 0) + (hops > 0 ? 1 : 0),
                     .offset = std::uint64_t{number} * sizeof n,
                     .slot = slot,
                     .first_bit = where.length,
                     .bits = std::min(stride, A::bits - where.length),
                     .contents = [&](node_contents& to) {
                         to.with = compared::bitmap;
                         to.bitmaps = {{"prefixes", false}, {"children"}};
                         to.values.assign(n.prefixes.bits.begin(), n.prefixes.bits.end());
                         to.values.insert(to.values.end(), n.children.bits.begin(), n.children.bits.end());
                         to.numbers = {{"first child", n.first_child()}, {"first hop", n.hops}};
                     }});
        if (children > 0)
            show(where, {.level = level + 1,
                         .kind = "children",
                         .part = "children",
                         .bytes = children * sizeof(child),
                         .offset = std::uint64_t{n.first_child()} * sizeof(child),
                         .contents = [&](node_contents& to) {
                             for (std::uint32_t i = 0; i < children; ++i)
                                 to.answers.push_back({i, in_.child_at(n.first_child() + i).hop});
                         }});
        if (hops > 0)
            show(where, {.level = level + 1,
                         .kind = "hops",
                         .part = "hops",
                         .bytes = hops * sizeof(next_hop),
                         .offset = std::uint64_t{n.hops} * sizeof(next_hop),
                         .contents = [&](node_contents& to) {
                             for (std::uint32_t i = 0; i < hops; ++i)
                                 to.answers.push_back({i, in_.hop_at(n.hops + i)});
                         }});
        std::uint32_t place = n.first_child();
        for (unsigned i = n.children.next(0); i < bitset::size(); i = n.children.next(i + 1))
            visit_child(in_.child_at(place++), where, level + 1, i);
    }

  private:
    void visit_child(const child& there, const prefix<A>& above, unsigned level, unsigned slot) const {
        const unsigned length = above.length + stride;
        const value lower = shift_left(static_cast<value>(slot), A::bits - length);
        const auto below = prefix<A>::make(A{static_cast<value>(above.base.value | lower)}, length);
        if (there.is_node())
            return visit(there.to, below, level, slot);
        const auto tell_hop = [&](node_contents& to) { to.answers = {{0, there.hop}}; };
        if (there.is_fringe())
            return show(
                below,
                {.level = level, .kind = "fringe", .part = "children", .slot = slot, .contents = tell_hop});
        const auto& leaf = in_.leaf_at(there.leaf());
        const prefix<A> where = in_.prefix_of(leaf);
        show(where, {.level = level,
                     .kind = "leaf",
                     .part = "leaves",
                     .bytes = sizeof leaf,
                     .offset = there.leaf() * sizeof leaf,
                     .slot = slot,
                     .bits = where.length,
                     .contents = [&](node_contents& to) {
                         tell_hop(to);
                         to.with = compared::keys;
                         to.values = {slice(where.base, 0, where.length)};
                     }});
    }
    void show(const prefix<A>& where, structure_node<A> shown) const {
        shown.first = where.first();
        shown.last = where.last();
        each_(shown);
    }

    const trie<A>& in_;
    node_visitor<A> each_;
};

} // namespace fingerpost::bart
