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

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/rib/path_nodes.hpp"
#include "fingerpost/rib/path_search.hpp"

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
    class iterator;
    struct range {
        iterator from;
        iterator begin() const noexcept { return from; }
        std::default_sentinel_t end() const noexcept { return {}; }
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
    void find_neighbours(std::span<const prefix<A>> sought, std::span<neighbours> found) const noexcept {
        detail::search_paths<A>(*this, root_, sought, found);
    }

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

// Walks a sub-tree in prefix order: a node, then its child 0, then its child 1. Waiting are the children 1 of
// the nodes above, at most one of each length, and the child 0 just pushed.
template <class A>
class path_trie<A>::iterator {
  public:
    using value_type = route<A>;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    iterator(const path_trie& trie, link top) noexcept : trie_(&trie) {
        push(top);
        advance();
    }
    iterator(const path_trie& trie, link top, const prefix<A>& last) noexcept : trie_(&trie) {
        push_after(top, last);
        advance();
    }

    route<A> operator*() const noexcept { return make_route(trie_->route_at(at_)); }
    iterator& operator++() noexcept {
        push_children();
        advance();
        return *this;
    }
    void operator++(int) noexcept { ++*this; }
    // On to the next route that this one does not cover.
    iterator& skip_covered() noexcept {
        advance();
        return *this;
    }
    friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept { return i.ended(); }

  private:
    bool ended() const noexcept { return at_ == nil; }
    void push(link l) noexcept {
        if (l != nil)
            waiting_[count_++] = l;
    }
    void push_children() noexcept {
        const link* child = trie_->children_of(at_);
        push(child[1]);
        push(child[0]);
    }
    // What comes after `last`: sub-trees behind it on the way to where it would be, then all that it covers.
    void push_after(link at, const prefix<A>& last) noexcept {
        while (at != nil) {
            const prefix<A> here = prefix<A>::make(A{trie_->key_below(at)}, trie_->length_of(at));
            if (last < here)
                return push(at);
            const link* const child = trie_->children_of(at);
            if (here == last) {
                push(child[1]);
                return push(child[0]);
            }
            if (!here.covers(last))
                return;
            const unsigned side = branch(last.base.value, here.length);
            if (side == 0)
                push(child[1]);
            at = child[side];
        }
    }
    void advance() noexcept {
        for (at_ = nil; count_ > 0; push_children()) {
            at_ = waiting_[--count_];
            if (!is_fork(at_))
                return;
        }
        at_ = nil;
    }

    const path_trie* trie_ = nullptr;
    link at_ = nil;
    unsigned count_ = 0;
    std::array<link, A::bits + 1> waiting_{};
};

template <class A>
bool path_trie<A>::step(walk& w) const noexcept {
    const value a = w.address.value;
    if (w.at == nil)
        return false;
    if (is_fork(w.at)) {
        const fork_node& fork = fork_at(w.at);
        const auto bits = a >> (A::bits - 1 - fork.length);
        if (fork.stem != static_cast<std::uint32_t>(bits >> 1))
            return false;
        w.at = fork.child[static_cast<unsigned>(bits) & 1];
    } else {
        const route_node& node = route_at(w.at);
        if (differing(a, node.key, node.length) != 0)
            return false;
        w.best = node.hop;
        if (node.length == A::bits)
            return false;
        w.at = node.child[branch(a, node.length)];
    }
    if (w.at == nil)
        return false;
    __builtin_prefetch(children_of(w.at));
    return true;
}

template <class A>
std::optional<route<A>> path_trie<A>::match(A a, unsigned longest) const noexcept {
    link best = nil;
    for (link at = root_; at != nil && length_of(at) <= longest && !astray(at, a.value);) {
        if (!is_fork(at))
            best = at;
        const unsigned length = length_of(at);
        if (length == A::bits)
            break;
        at = children_of(at)[branch(a.value, length)];
    }
    if (best == nil)
        return std::nullopt;
    return make_route(route_at(best));
}

template <class A>
next_hop path_trie<A>::get(const prefix<A>& p) const noexcept {
    link at = root_;
    while (at != nil && length_of(at) < p.length)
        at = children_of(at)[branch(p.base.value, length_of(at))];
    if (at == nil || is_fork(at))
        return next_hop::none;
    const route_node& node = route_at(at);
    return node.length == p.length && node.key == p.base.value ? node.hop : next_hop::none;
}

// Records the way down to the first node that is not shorter than `p`, and returns that node; nil when the
// way ends before. It goes by the bits that nodes branch at and may be astray: one key at its end tells.
// Two ways are the same as long as they branch at bits that their prefixes share.
template <class A>
auto path_trie<A>::descend(const prefix<A>& p, trail& way) const noexcept -> link {
    const unsigned shared = std::min<unsigned>(common_length(p.base, way.towards), p.length);
    while (way.count > 1 && length_of(way.nodes[way.count - 2]) >= shared)
        --way.count;
    link at = way.count == 0 ? root_ : way.nodes[--way.count];
    way.towards = p.base;
    while (at != nil) {
        way.push(at);
        const unsigned length = length_of(at);
        if (length >= p.length)
            break;
        at = children_of(at)[branch(p.base.value, length)];
    }
    return at;
}

template <class A>
expected<next_hop> path_trie<A>::insert(const prefix<A>& p, next_hop hop) noexcept {
    assert(hop != next_hop::none && p.length <= A::bits);
    const value a = p.base.value;
    trail& way = way_;
    link at = descend(p, way);
    unsigned parting = p.length; // how far `p` goes along with what is there
    value key = 0;
    if (way.count > 0) {
        key = key_below(way.back());
        parting = std::min<unsigned>(common_length(p.base, A{key}), p.length);
        // Back up to where `p` parts from the way.
        if (at != nil || parting < length_of(way.back())) {
            while (way.count > 1 && length_of(way.nodes[way.count - 2]) >= parting)
                --way.count;
            at = way.back();
        }
    }
    const bool here = at != nil && length_of(at) == p.length && parting == p.length;
    if (here && !is_fork(at))
        return std::exchange(route_at(at).hop, hop);

    const std::uint32_t made = route_pool.allocate();
    if (made == route_pool.nil)
        return unexpected{route_pool.shortage()};
    fill(made, p, hop);
    if (at == nil) {
        link_to(way, way.count, a) = route_link(made);
    } else if (here) {
        std::copy_n(fork_at(at).child, 2, route_pool[made].child);
        link_to(way, way.count - 1, a) = route_link(made);
        fork_pool.release(at >> 1);
    } else if (parting == p.length) {
        route_pool[made].child[branch(key, parting)] = at;
        link_to(way, way.count - 1, a) = route_link(made);
    } else {
        const std::uint32_t fork = make_fork(a, parting);
        if (fork == fork_pool.nil) {
            route_pool.release(made);
            return unexpected{fork_pool.shortage()};
        }
        fork_pool[fork].child[branch(a, parting)] = route_link(made);
        fork_pool[fork].child[branch(key, parting)] = at;
        link_to(way, way.count - 1, a) = fork_link(fork);
    }
    way.count -= way.count > 0; // the last node may have become another
    return next_hop::none;
}

template <class A>
expected<next_hop> path_trie<A>::erase(const prefix<A>& p) noexcept {
    const value a = p.base.value;
    trail& way = way_;
    const link at = descend(p, way);
    if (at == nil || is_fork(at))
        return unexpected{errc::not_found};
    if (route_at(at).length != p.length || route_at(at).key != a)
        return unexpected{errc::not_found};
    const next_hop before = route_at(at).hop;
    const link child[2] = {route_at(at).child[0], route_at(at).child[1]};
    if (child[0] != nil && child[1] != nil) {
        const std::uint32_t fork = make_fork(a, p.length);
        if (fork == fork_pool.nil)
            return unexpected{fork_pool.shortage()};
        std::copy_n(child, 2, fork_pool[fork].child);
        link_to(way, way.count - 1, a) = fork_link(fork);
    } else if (child[0] != nil || child[1] != nil) {
        link_to(way, way.count - 1, a) = child[0] != nil ? child[0] : child[1];
    } else {
        unlink(way, a);
    }
    way.count -= std::min(way.count, 2u); // the node, and the fork above it
    // Freed nodes wait for new routes, so that taking the last change back cannot fail; see compact().
    route_pool.release(at >> 1);
    return before;
}

// Takes the last node of the way, a leaf, out of the trie, and a fork above it with it.
template <class A>
void path_trie<A>::unlink(const trail& way, value a) noexcept {
    link_to(way, way.count - 1, a) = nil;
    if (way.count < 2 || !is_fork(way.nodes[way.count - 2]))
        return;
    const link parent = way.nodes[way.count - 2];
    const fork_node& fork = fork_at(parent);
    link_to(way, way.count - 2, a) = fork.child[0] != nil ? fork.child[0] : fork.child[1];
    fork_pool.release(parent >> 1);
}

template <class A>
errc path_trie<A>::build(std::span<const route<A>> sorted) noexcept {
    path_trie built(most_routes());
    if (!built.route_pool.reserve(sorted.size()))
        return built.route_pool.shortage(sorted.size());
    trail way;
    for (const route<A>& r : sorted)
        if (const errc failure = built.append(r, way); failure != errc::ok)
            return failure;
    swap(built);
    return errc::ok;
}

template <class A>
void path_trie<A>::compact() noexcept {
    if (size() == 0)
        return clear();
    if (!route_pool.sparse() && !fork_pool.sparse())
        return;
    path_trie copy(most_routes());
    if (!copy.route_pool.reserve(route_pool.size()) || !copy.fork_pool.reserve(fork_pool.size()))
        return;
    trail way;
    for (const route<A>& r : all())
        if (copy.append(r, way) != errc::ok)
            return;
    swap(copy);
}

// Adds a route that comes after all others: only the way to the last one can change.
template <class A>
errc path_trie<A>::append(const route<A>& r, trail& way) noexcept {
    const value a = r.where.base.value;
    const std::uint32_t made = route_pool.allocate();
    if (made == route_pool.nil)
        return route_pool.shortage();
    fill(made, r.where, r.hop);
    if (way.count > 0) {
        const route_node& last = route_at(way.back());
        const unsigned parting = std::min<unsigned>(common_length(r.where.base, A{last.key}), last.length);
        assert(parting < r.where.length);
        link under = nil;
        while (way.count > 0 && length_of(way.back()) > parting)
            under = way.nodes[--way.count];
        if (under != nil && (way.count == 0 || length_of(way.back()) < parting)) {
            const std::uint32_t fork = make_fork(a, parting);
            if (fork == fork_pool.nil)
                return fork_pool.shortage();
            fork_pool[fork].child[0] = under;
            link_to(way, way.count, a) = fork_link(fork);
            way.push(fork_link(fork));
        }
    }
    link_to(way, way.count, a) = route_link(made);
    way.push(route_link(made));
    return errc::ok;
}

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

// Compiled once, in the library.
extern template class path_trie<ipv4_address>;
extern template class path_trie<ipv6_address>;

} // namespace fingerpost
