// Nodes of a path-compressed trie, without its algorithms; see path_trie.hpp.
//
//      route  key | child 0 | child 1 | next hop | length   one for each route, 32 B for 128 bits
//      fork   child 0 | child 1 | stem | length             only where sub-trees diverge, 16 B
//
// A link to a child is a node number with one bit for its kind. A fork always has two children, so there are
// fewer forks than routes, and a route costs at most 48 bytes for 128 bits, 36 for 32 bits. Forks have no
// key. A walk that took a wrong turn at a fork is corrected by the key of the next route, because every path
// down ends at a route. `stem`, the last 32 bits that the sub-tree shares, only ends wrong walks early: a
// lookup without a match stops where a full key would stop it, except in sub-trees that differ from their
// cover more than 32 bits further down.
//
// Alternative not taken: one 32-byte node with a full key for forks too. The code would be simpler, without
// the branch on the kind of node. But in a table without nesting a route would take 64 bytes and the pool's
// slack, and the RIB must stay below that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::detail {

template <class A>
struct path_nodes {
    using value = typename A::value_type;
    // Twice the number of a node, plus one for a node of fork_pool.
    using link = std::uint32_t;
    static constexpr link nil = 0xffffffff;
    // With one more node, a fork could have the link nil.
    static constexpr std::size_t most = node_pool<int>::most;
    static_assert((std::uint64_t{most} - 1) << 1 < nil - 1);

    struct route_node {
        value key = 0;
        link child[2] = {nil, nil};
        next_hop hop = next_hop::none;
        std::uint8_t length = 0;
    };
    struct fork_node {
        link child[2] = {nil, nil};
        std::uint32_t stem = 0; // the 32 bits before bit `length`, or fewer at the start
        std::uint8_t length = 0;
    };
    static_assert(sizeof(fork_node) == 16);
    static_assert(sizeof(route_node) == (A::bits <= 32 ? 20 : A::bits <= 64 ? 24 : 32));

    // The limit applies to routes and to forks separately.
    explicit path_nodes(std::size_t most_nodes = most) noexcept
        : route_pool(most_nodes), fork_pool(most_nodes) {}

    static bool is_fork(link l) noexcept { return (l & 1) != 0; }
    static link fork_link(std::uint32_t i) noexcept { return i << 1 | 1; }
    static link route_link(std::uint32_t i) noexcept { return i << 1; }
    const route_node& route_at(link l) const noexcept { return route_pool[l >> 1]; }
    route_node& route_at(link l) noexcept { return route_pool[l >> 1]; }
    const fork_node& fork_at(link l) const noexcept { return fork_pool[l >> 1]; }
    fork_node& fork_at(link l) noexcept { return fork_pool[l >> 1]; }

    unsigned length_of(link l) const noexcept { return is_fork(l) ? fork_at(l).length : route_at(l).length; }
    const link* children_of(link l) const noexcept {
        return is_fork(l) ? fork_at(l).child : route_at(l).child;
    }
    link* children_of(link l) noexcept { return is_fork(l) ? fork_at(l).child : route_at(l).child; }

    static value differing(value a, value b, unsigned length) noexcept {
        return shift_right(static_cast<value>(a ^ b), A::bits - length);
    }
    // Requires length < bits, which is true for every node with children.
    static unsigned branch(value a, unsigned length) noexcept {
        const unsigned behind = A::bits - 1 - length;
        if constexpr (A::bits > 64) {
            const auto half = static_cast<std::uint64_t>(behind < 64 ? a : a >> 64);
            return static_cast<unsigned>(half >> (behind % 64)) & 1;
        } else {
            return static_cast<unsigned>(a >> behind) & 1;
        }
    }
    static std::uint32_t stem_of(value a, unsigned length) noexcept {
        return static_cast<std::uint32_t>(shift_right(a, A::bits - length));
    }
    static route<A> make_route(const route_node& n) noexcept { return {{A{n.key}, n.length}, n.hop}; }

    // Returns true if no route at or below this node matches the address. False for a fork does not imply a
    // match.
    bool astray(link l, value a) const noexcept {
        if (is_fork(l))
            return fork_at(l).stem != stem_of(a, fork_at(l).length);
        return differing(a, route_at(l).key, route_at(l).length) != 0;
    }
    // Returns the key of some route at or below the node. All of them share the node's bits.
    value key_below(link l) const noexcept {
        while (is_fork(l))
            l = fork_at(l).child[0];
        return route_at(l).key;
    }
    void fill(std::uint32_t i, const prefix<A>& p, next_hop hop) noexcept {
        route_pool[i].key = p.base.value;
        route_pool[i].length = p.length;
        route_pool[i].hop = hop;
    }
    // Creates a fork without children. Returns nil if the pool is full.
    std::uint32_t make_fork(value key, unsigned length) noexcept {
        const std::uint32_t i = fork_pool.allocate();
        if (i == fork_pool.nil)
            return i;
        fork_pool[i].length = static_cast<std::uint8_t>(length);
        fork_pool[i].stem = stem_of(key, length);
        return i;
    }

    std::size_t memory_bytes() const noexcept { return route_pool.memory_bytes() + fork_pool.memory_bytes(); }
    void swap(path_nodes& other) noexcept {
        std::swap(route_pool, other.route_pool);
        std::swap(fork_pool, other.fork_pool);
    }

    node_pool<route_node> route_pool;
    node_pool<fork_node> fork_pool;
};

} // namespace fingerpost::detail
