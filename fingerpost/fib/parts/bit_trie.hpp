// What binary tries have in common whose nodes lie in a pool: schemes/binary_trie, and path-compressed ones.
// Of these schemes/bsd_radix, whose leaves are nodes of another kind, takes only branch().
//
// A node has `child[2]`, the numbers of its children. The root has number 0. It is no node's child, so as a
// child its number means that there is none. A node of a path-compressed trie also has
//
//      key, length    its prefix; bit `length` of an address chooses a child
//      shift          the position of that bit from the lowest one; 0 if there is no such bit
//      answer()       the next hop of its route, or none
//
// and may have `parent`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost::bit_trie {

inline constexpr std::uint32_t root = 0;

template <class Node>
std::size_t children_of(const Node& n) noexcept {
    return std::size_t{n.child[0] != root} + std::size_t{n.child[1] != root};
}
// Only the children that are there.
template <class Node>
void show_children(const Node& n, node_contents& to) {
    if (n.child[0] != root)
        to.numbers.push_back({"child 0", n.child[0]});
    if (n.child[1] != root)
        to.numbers.push_back({"child 1", n.child[1]});
}
template <class Node>
std::uint32_t copy_below(const node_pool<Node>& from, std::uint32_t at, node_pool<Node>& to) noexcept {
    const std::uint32_t made = to.allocate();
    to[made] = from[at];
    for (const unsigned bit : {0u, 1u})
        if (from[at].child[bit] != root) {
            const std::uint32_t child = copy_below(from, from[at].child[bit], to);
            to[made].child[bit] = child;
            if constexpr (requires { to[child].parent; })
                to[child].parent = made;
        }
    return made;
}
// Once many nodes are unused, copies the others in prefix order; does nothing without memory for that.
template <class Node>
void compact(node_pool<Node>& nodes) noexcept {
    if (!nodes.sparse())
        return;
    node_pool<Node> copy(nodes.most_nodes());
    if (!copy.reserve(nodes.size()))
        return;
    (void)copy_below(nodes, root, copy);
    nodes = std::move(copy);
}

// ---- Path-compressed tries

template <class A>
std::uint8_t shift_for(unsigned length) noexcept {
    return static_cast<std::uint8_t>(length < A::bits ? A::bits - 1 - length : 0);
}
// The child that an address goes to.
template <class A, class Node>
unsigned branch(A a, const Node& n) noexcept {
    // Of 128 bits, choosing a half first takes fewer instructions than a shift of both.
    if constexpr (A::bits == 128)
        return static_cast<unsigned>((n.shift < 64 ? bottom64(a) : top64(a)) >> (n.shift % 64)) & 1;
    else
        return static_cast<unsigned>(a.value >> n.shift) & 1;
}
template <class A, class Node>
bool fits(A a, const Node& n) noexcept {
    return shift_right(static_cast<typename A::value_type>(a.value ^ n.key), A::bits - n.length) == 0;
}
// The number of bits that a prefix shares with a node.
template <class A, class Node>
unsigned shared(const prefix<A>& p, const Node& n) noexcept {
    return std::min<unsigned>(common_length(p.base, A{n.key}), std::min(p.length, n.length));
}
// Makes a node without children and without a route; returns the root if no node is left.
template <class A, class Node>
std::uint32_t make(node_pool<Node>& nodes, const prefix<A>& p) noexcept {
    const std::uint32_t made = nodes.allocate();
    if (made == nodes.nil)
        return root;
    Node& n = nodes[made];
    n.key = p.base.value;
    n.length = p.length;
    n.shift = shift_for<A>(p.length);
    return made;
}

// See fib/layout.hpp. Lengths grow on the way down, and fall on the way up.
template <class A, class Node>
void check(const layout_check& in, const node_pool<Node>& nodes) {
    in.require(nodes.size() > 0, nullptr, "there is no root");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& here = nodes[i];
        in.require(here.length <= A::bits && here.shift == shift_for<A>(here.length), &here,
                   "a node tests bits past the end of an address");
        for (const std::uint32_t child : here.child)
            in.require(child == root || (child < nodes.size() && here.length < nodes[child].length), &here,
                       "a child is not longer than its parent");
        if constexpr (requires { here.parent; })
            in.require(here.length == 0 ||
                           (here.parent < nodes.size() && nodes[here.parent].length < here.length),
                       &here, "a parent is not shorter than its child");
    }
}
template <class A, class Node>
void visit(const node_pool<Node>& nodes, node_visitor<A> each, std::uint32_t at = root, unsigned level = 0,
           unsigned slot = 0) {
    const Node& here = nodes[at];
    const auto where = prefix<A>::make(A{here.key}, here.length);
    const bool has_route = here.answer() != next_hop::none;
    each({.first = where.first(),
          .last = where.last(),
          .level = level,
          .kind = has_route    ? "route"
                  : at == root ? "root"
                               : "fork",
          .part = "nodes",
          .bytes = sizeof(Node),
          .children = children_of(here),
          .offset = std::uint64_t{at} * sizeof(Node),
          .slot = slot,
          .bits = here.length,
          .contents = [&](node_contents& to) {
              to.with = compared::keys;
              to.values = {slice(A{here.key}, 0, here.length)};
              if (has_route)
                  to.answers = {{0, here.answer()}};
              to.numbers = {{"bit", here.length}};
              show_children(here, to);
              if constexpr (requires { here.parent; })
                  to.numbers.push_back({"parent", here.parent});
          }});
    for (const unsigned bit : {0u, 1u})
        if (here.child[bit] != root)
            visit<A>(nodes, each, here.child[bit], level + 1, bit);
}

} // namespace fingerpost::bit_trie
