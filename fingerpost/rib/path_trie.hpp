// A path-compressed binary trie: all routes by prefix, in prefix order. The depth of a route is the number of
// covers and branchings above it.
//
// This is the storage of rib<A>. Its nodes are routes, and forks where two sub-trees diverge
// (path_nodes.hpp):
//
//      ::/0 ---1--> 2000::/3 ---+--> fork 2001:db8::/33 ---0--> 2001:db8::/48
//                               |                     \---1--> 2001:db8:8000::/48
//
// Lookup: one dependent load for each node, at most bits + 1. For addresses that match a route of tier1-v6,
// 25 on average and 40 at most; in tier1-v4, 23 and 33. Searches of several prefixes are interleaved to
// overlap memory accesses: path_search.hpp. Update: the same descent, then at most two nodes allocated or
// freed. There is no rebalancing.
//
// Source: D. Morrison, PATRICIA, JACM 15(4), 1968; K. Sklower, A tree-based packet routing table for Berkeley
// Unix, 1991. Unlike Sklower's, the descent checks keys, so it never backtracks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/rib/path_iterator.hpp"
#include "fingerpost/rib/path_nodes.hpp"
#include "fingerpost/rib/path_surroundings.hpp"

namespace fingerpost {

template <class A>
class path_trie : detail::path_nodes<A> {
    using nodes = detail::path_nodes<A>;
    using nodes::astray, nodes::branch, nodes::children_of, nodes::differing, nodes::fill, nodes::fork_at,
        nodes::fork_link, nodes::fork_pool, nodes::is_fork, nodes::key_below, nodes::length_of,
        nodes::make_fork, nodes::make_route, nodes::nil, nodes::route_at, nodes::route_link,
        nodes::route_pool;
    using typename nodes::fork_node;
    using typename nodes::link;
    using typename nodes::route_node;
    using typename nodes::value;

  public:
    // Tests pass a lower limit.
    explicit path_trie(std::size_t most_routes = nodes::most) noexcept : nodes(most_routes) {}
    path_trie(path_trie&& other) noexcept : path_trie(other.most_routes()) { swap(other); }
    path_trie& operator=(path_trie&& other) noexcept {
        swap(other);
        return *this;
    }

    std::size_t size() const noexcept { return route_pool.size(); }
    using nodes::memory_bytes;
    void clear() noexcept { path_trie(most_routes()).swap(*this); }
    std::size_t most_routes() const noexcept { return route_pool.most_nodes(); }

    // A lookup in progress, so that the caller can interleave several.
    struct walk {
        A address;
        link at;
        next_hop best = next_hop::none;
    };
    walk start(A a) const noexcept { return {a, root_}; }
    // Moves one node down. Returns false at the end, with the next hop of the longest match in `best`.
    bool step(walk& w) const noexcept;

    next_hop lookup(A a) const noexcept {
        walk w = start(a);
        while (step(w)) {
        }
        return w.best;
    }

    // Longest route of at most `longest` bits that covers the address.
    std::optional<route<A>> match(A a, unsigned longest = A::bits) const noexcept;
    // Next hop of exactly this prefix, or none.
    next_hop get(const prefix<A>& p) const noexcept;

    // insert() and erase() take canonical prefixes, and `hop` is not none. They return the previous next hop,
    // or none for a new prefix. On failure nothing has changed: errc::out_of_memory, or errc::capacity if
    // node numbers run out.
    expected<next_hop> insert(const prefix<A>& p, next_hop hop) noexcept;
    expected<next_hop> erase(const prefix<A>& p) noexcept;

    // Replaces everything by these routes: canonical, in prefix order, without duplicates. O(routes).
    errc build(std::span<const route<A>> sorted) noexcept;
    // Frees memory if erased routes have left much of it unused. Does nothing if there is no memory for the
    // copy. O(routes), but only once in many erasures.
    void compact() noexcept;

    // Calls visit(route) for all routes that cover `p` and are shorter than it, shortest first.
    template <class Visit>
    void for_each_cover(const prefix<A>& p, Visit visit) const;
    // Calls visit(route) for all routes that cover `p` and are shorter than it, longest first.
    template <class Visit>
    void for_each_cover_upwards(const prefix<A>& p, Visit visit) const;

    // Routes in prefix order. Any change of the trie invalidates the iterator.
    using iterator = detail::path_iterator<A>;
    struct range {
        iterator from;
        iterator begin() const noexcept { return from; }
        end_of_routes end() const noexcept { return {}; }
    };
    range routes() const noexcept { return {iterator(*this, root_)}; }
    // Routes that `p` covers, including its own.
    range covered(const prefix<A>& p) const noexcept { return {iterator(*this, below(p))}; }
    // Routes that `p` covers and that follow `last` in prefix order. `last` need not be in the trie.
    range covered_after(const prefix<A>& p, const prefix<A>& last) const noexcept {
        return {iterator(*this, below(p), last)};
    }

    using neighbours = path_surroundings;
    // Finds the surroundings of each of these prefixes. `results` is as long as `sought`.
    void find_neighbours(std::span<const prefix<A>> sought, std::span<neighbours> results) const noexcept;

  private:
    // Nodes of a descent, so that the next change of a nearby prefix starts where the paths diverge. Lengths
    // increase, so the array is large enough.
    struct trail {
        std::array<link, A::bits + 1> nodes;
        unsigned count = 0;
        A towards{};

        void push(link l) noexcept { nodes[count++] = l; }
        link back() const noexcept { return nodes[count - 1]; }
    };

    // Top node of the routes that `p` covers.
    link below(const prefix<A>& p) const noexcept {
        link at = root_;
        while (at != nil && length_of(at) < p.length)
            at = children_of(at)[branch(p.base.value, length_of(at))];
        return at != nil && p.contains(A{key_below(at)}) ? at : nil;
    }
    link descend(const prefix<A>& p, trail& way) const noexcept;
    // Link to the i-th node of the path, or to its place if it does not exist.
    link& link_to(const trail& way, unsigned i, value a) noexcept {
        if (i == 0)
            return root_;
        const link parent = way.nodes[i - 1];
        return children_of(parent)[branch(a, length_of(parent))];
    }
    void unlink(const trail& way, value a) noexcept;
    errc append(const route<A>& r, trail& way) noexcept;
    void swap(path_trie& other) noexcept {
        nodes::swap(other);
        std::swap(root_, other.root_);
        way_.count = other.way_.count = 0;
    }

    link root_ = nil;
    trail way_; // of the last insert() or erase(): a change in order starts near its end
};

template <class A>
template <class Visit>
void path_trie<A>::for_each_cover(const prefix<A>& p, Visit visit) const {
    link at = root_;
    while (at != nil && length_of(at) < p.length && !astray(at, p.base.value)) {
        if (!is_fork(at))
            visit(make_route(route_at(at)));
        at = children_of(at)[branch(p.base.value, length_of(at))];
    }
}

template <class A>
template <class Visit>
void path_trie<A>::for_each_cover_upwards(const prefix<A>& p, Visit visit) const {
    trail way;
    descend(p, way);
    while (way.count > 0) {
        const link at = way.nodes[--way.count];
        if (!is_fork(at) && route_at(at).length < p.length && !astray(at, p.base.value))
            visit(make_route(route_at(at)));
    }
}

// Instantiated in the library. path_trie.inl.hpp has the definitions for other widths.
extern template class path_trie<ipv4_address>;
extern template class path_trie<ipv6_address>;

} // namespace fingerpost
