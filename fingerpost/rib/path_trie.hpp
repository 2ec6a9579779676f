// A path-compressed binary trie: every route by prefix, in prefix order, found in as many steps as it has
// covers and branchings above it.
//
// It is the store of rib<A>. Its nodes are routes, and forks where two sub-trees part (path_nodes.hpp):
//
//      ::/0 ---1--> 2000::/3 ---+--> fork 2001:db8::/33 ---0--> 2001:db8::/48
//                               |                     \---1--> 2001:db8:8000::/48
//
// Lookup: one dependent load a node; at most bits + 1 on the way down, 25 on average and 40 at most for
// addresses that match a route of tier1-v6, 23 and 33 in tier1-v4.
// Several prefixes are sought in turn, so that waiting for memory overlaps: path_search.hpp.
// Update: the same walk, then at most two nodes made or freed. Nothing is rebalanced.
//
// Source: D. Morrison, PATRICIA, JACM 15(4), 1968; K. Sklower, A tree-based packet routing table for
// Berkeley Unix, 1991. Unlike Sklower's, the walk down checks keys, so it never turns back up.
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
    // Fewer routes at most are for tests of what happens then.
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

    // A lookup on its way down, so that the caller may take several in turn.
    struct walk {
        A address;
        link at;
        next_hop best = next_hop::none;
    };
    walk start(A a) const noexcept { return {a, root_}; }
    // Goes one node down; false at the end of the way, with the longest match's next hop in `best`.
    bool step(walk& w) const noexcept;

    next_hop lookup(A a) const noexcept {
        walk w = start(a);
        while (step(w)) {
        }
        return w.best;
    }

    // The longest route of at most `longest` bits that covers the address.
    std::optional<route<A>> match(A a, unsigned longest = A::bits) const noexcept;
    // The next hop of exactly this prefix; none when it is not there.
    next_hop get(const prefix<A>& p) const noexcept;

    // Prefixes given to these two are canonical; `hop` is not none. They return the next hop that the prefix
    // had, insert() none when it is new. When they fail, nothing has changed: errc::out_of_memory, and
    // errc::capacity where numbers end.
    expected<next_hop> insert(const prefix<A>& p, next_hop hop) noexcept;
    expected<next_hop> erase(const prefix<A>& p) noexcept;

    // Replaces everything by these routes, canonical, in prefix order, each prefix once. O(routes).
    errc build(std::span<const route<A>> sorted) noexcept;
    // Gives memory back once routes that have gone left much of it unused; without memory to copy the others
    // it does nothing. O(routes), but only once in many erasures.
    void compact() noexcept;

    // Calls visit(route) for all routes shorter than `p` that cover it, shortest first.
    template <class Visit>
    void for_each_cover(const prefix<A>& p, Visit visit) const;
    // The same, longest first.
    template <class Visit>
    void for_each_cover_upwards(const prefix<A>& p, Visit visit) const;

    // Routes in prefix order; any change of the trie ends it.
    using iterator = detail::path_iterator<A>;
    struct range {
        iterator from;
        iterator begin() const noexcept { return from; }
        end_of_routes end() const noexcept { return {}; }
    };
    range all() const noexcept { return {iterator(*this, root_)}; }
    // Those that `p` covers, its own among them.
    range covered(const prefix<A>& p) const noexcept { return {iterator(*this, below(p))}; }
    // Those of them that come after `last` in prefix order, which need not be there.
    range covered_after(const prefix<A>& p, const prefix<A>& last) const noexcept {
        return {iterator(*this, below(p), last)};
    }

    using neighbours = path_surroundings;
    // Of each of these prefixes; `found` is as long.
    void find_neighbours(std::span<const prefix<A>> sought, std::span<neighbours> found) const noexcept;

  private:
    // The nodes of a way down, so that the next change of a prefix nearby starts where the two part; lengths
    // increase, so this many nodes fit.
    struct trail {
        std::array<link, A::bits + 1> nodes;
        unsigned count = 0;
        A towards{};

        void push(link l) noexcept { nodes[count++] = l; }
        link back() const noexcept { return nodes[count - 1]; }
    };

    // The top node of those that `p` covers.
    link below(const prefix<A>& p) const noexcept {
        link at = root_;
        while (at != nil && length_of(at) < p.length)
            at = children_of(at)[branch(p.base.value, length_of(at))];
        return at != nil && p.contains(A{key_below(at)}) ? at : nil;
    }
    link descend(const prefix<A>& p, trail& way) const noexcept;
    // The link that leads to the i-th node of the way, or to where it would be.
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
    trail way_; // of the last insert() or erase(): changes that come in order start low down
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

// Compiled once, in the library; path_trie.inl.hpp has the bodies for other widths.
extern template class path_trie<ipv4_address>;
extern template class path_trie<ipv6_address>;

} // namespace fingerpost
