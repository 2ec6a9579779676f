// Common code of binary tries with nodes in a pool: schemes/binary_trie, and path-compressed tries.
// schemes/bsd_radix, which has leaves of another type, uses only branch().
//
// A node has `child[2]`, the numbers of its children. The root has number 0. It is never a child, so 0 means
// "no child". A node of a path-compressed trie also has
//
//      key, length    its prefix; bit `length` of an address selects a child
//      shift          position of that bit, counted from the lowest one; 0 if there is no such bit
//      answer()       next hop of its route, or none
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
    const std::uint32_t copy = to.allocate();
    to[copy] = from[at];
    for (const unsigned bit : {0u, 1u})
        if (from[at].child[bit] != root) {
            const std::uint32_t child = copy_below(from, from[at].child[bit], to);
            to[copy].child[bit] = child;
            if constexpr (requires { to[child].parent; })
                to[child].parent = copy;
        }
    return copy;
}
// If many nodes are unused, copies the others in prefix order. Does nothing if there is no memory for the
// copy.
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

template <class A>
std::uint8_t shift_for(unsigned length) noexcept {
    return static_cast<std::uint8_t>(length < A::bits ? A::bits - 1 - length : 0);
}
// Index of the child for an address.
template <class A, class Node>
unsigned branch(A a, const Node& n) noexcept {
    // For 128 bits, choosing a half first takes fewer instructions than shifting both.
    if constexpr (A::bits == 128)
        return static_cast<unsigned>((n.shift < 64 ? bottom64(a) : top64(a)) >> (n.shift % 64)) & 1;
    else
        return static_cast<unsigned>(a.value >> n.shift) & 1;
}
template <class A, class Node>
bool fits(A a, const Node& n) noexcept {
    return shift_right(static_cast<typename A::value_type>(a.value ^ n.key), A::bits - n.length) == 0;
}
// Number of bits that a prefix shares with a node.
template <class A, class Node>
unsigned shared(const prefix<A>& p, const Node& n) noexcept {
    return std::min<unsigned>(common_length(p.base, A{n.key}), std::min(p.length, n.length));
}
// Creates a node without children and without a route. Returns the root if no node is left.
template <class A, class Node>
std::uint32_t make(node_pool<Node>& nodes, const prefix<A>& p) noexcept {
    const std::uint32_t number = nodes.allocate();
    if (number == nodes.nil)
        return root;
    Node& n = nodes[number];
    n.key = p.base.value;
    n.length = p.length;
    n.shift = shift_for<A>(p.length);
    return number;
}

// See fib/layout.hpp. Lengths increase on the way down and decrease on the way up.
template <class A, class Node>
void check(const layout_check& in, const node_pool<Node>& nodes) {
    in.require(nodes.size() > 0, nullptr, "there is no root");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        in.require(node.length <= A::bits && node.shift == shift_for<A>(node.length), &node,
                   "a node tests bits past the end of an address");
        for (const std::uint32_t child : node.child)
            in.require(child == root || (child < nodes.size() && node.length < nodes[child].length), &node,
                       "a child is not longer than its parent");
        if constexpr (requires { node.parent; })
            in.require(node.length == 0 ||
                           (node.parent < nodes.size() && nodes[node.parent].length < node.length),
                       &node, "a parent is not shorter than its child");
    }
}
template <class A, class Node>
void visit(const node_pool<Node>& nodes, node_visitor<A> each, std::uint32_t at = root, unsigned level = 0,
           unsigned slot = 0) {
    const Node& node = nodes[at];
    const auto where = prefix<A>::make(A{node.key}, node.length);
    const bool has_route = node.answer() != next_hop::none;
    each({.first = where.first(),
          .last = where.last(),
          .level = level,
          .kind = has_route    ? "route"
                  : at == root ? "root"
                               : "fork",
          .part = "nodes",
          .bytes = sizeof(Node),
          .children = children_of(node),
          .offset = std::uint64_t{at} * sizeof(Node),
          .slot = slot,
          .bits = node.length,
          .contents = [&](node_contents& to) {
              to.with = compared::keys;
              to.values = {slice(A{node.key}, 0, node.length)};
              if (has_route)
                  to.answers = {{0, node.answer()}};
              to.numbers = {{"bit", node.length}};
              show_children(node, to);
              if constexpr (requires { node.parent; })
                  to.numbers.push_back({"parent", node.parent});
          }});
    for (const unsigned bit : {0u, 1u})
        if (node.child[bit] != root)
            visit<A>(nodes, each, node.child[bit], level + 1, bit);
}

} // namespace fingerpost::bit_trie
