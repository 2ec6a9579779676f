// A path-compressed binary trie: every route by prefix, in prefix order, found in as many steps as it has
// covers and branchings above it.
//
// It is the store of rib<A> and, looked up in directly, the scheme `patricia`. Two kinds of node:
//
//      route  key | child 0 | child 1 | next hop | length   one for each route, 32 B for 128 bits
//      fork   child 0 | child 1 | stem | length             only where two sub-trees part, 16 B
//
//      ::/0 ---1--> 2000::/3 ---+--> fork 2001:db8::/33 ---0--> 2001:db8::/48
//                               |                     \---1--> 2001:db8:8000::/48
//
// A child is a number with one bit that says which kind it is. A fork always has two children, so there are
// fewer forks than routes, and a route costs at most 48 bytes for 128 bits, 36 for 32 bits. Forks have no
// key: a walk that has gone astray in one is found out by the next route's key, for every way down ends at
// a route. `stem`, the last 32 bits that the sub-tree shares, only sends walks back early: a lookup that
// misses stops where a full key would stop it, but for sub-trees that part from their cover more than 32
// bits further down.
//
// Lookup: one dependent load a node; at most bits + 1 on the way down, 25 on average and 40 at most for
// addresses that match a route of tier1-v6, 23 and 33 in tier1-v4.
// Several prefixes are sought in turn, so that waiting for memory overlaps: see around().
// Update: the same walk, then at most two nodes made or freed. Nothing is rebalanced.
//
// Source: D. Morrison, PATRICIA, JACM 15(4), 1968; K. Sklower, A tree-based packet routing table for
// Berkeley Unix, 1991. Unlike Sklower's, the walk down checks keys, so it never turns back up.
//
// Not done: one 32-byte node with a full key for forks too. It would be the simpler code, without the branch
// on the kind of node, but takes 64 bytes for a route of a table without nesting, to which the pool's slack
// comes, and the RIB must stay below that.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost {

template <class A>
class path_trie {
    using value = typename A::value_type;
    // The number of a node times two, plus one for forks.
    using link = std::uint32_t;
    static constexpr link nil = 0xffffffff;

    struct route_node {
        value key = 0;
        link child[2] = {nil, nil};
        next_hop hop = next_hop::none;
        std::uint8_t length = 0;
    };
    struct fork_node {
        link child[2] = {nil, nil};
        std::uint32_t stem = 0; // the bits before bit `length`, 32 of them or all
        std::uint8_t length = 0;
    };
    static_assert(sizeof(fork_node) == 16);
    static_assert(sizeof(route_node) == (A::bits <= 32 ? 20 : A::bits <= 64 ? 24 : 32));

  public:
    path_trie() = default;
    path_trie(path_trie&& other) noexcept { swap(other); }
    path_trie& operator=(path_trie&& other) noexcept {
        swap(other);
        return *this;
    }

    std::size_t size() const noexcept { return routes_.size(); }
    std::size_t memory_bytes() const noexcept { return routes_.memory_bytes() + forks_.memory_bytes(); }
    void clear() noexcept { path_trie().swap(*this); }

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
    // had, insert() none when it is new. When they fail, nothing has changed.
    expected<next_hop> insert(const prefix<A>& p, next_hop hop) noexcept;
    expected<next_hop> erase(const prefix<A>& p) noexcept;

    // Replaces everything by these routes, canonical, in prefix order, each prefix once. O(routes).
    errc build(std::span<const route<A>> sorted) noexcept;
    // Gives memory back once routes that have gone left much of it unused; without memory to copy the others
    // it does nothing. O(routes), but only once in many erasures.
    void tidy() noexcept;

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

    // What is at, above and below a prefix, found on one way down.
    struct surroundings {
        next_hop hop = next_hop::none;   // its own
        next_hop cover = next_hop::none; // that of the longest shorter route that covers it
        std::uint8_t cover_length = 0;   // of that route
        bool alone = true;               // it covers no route but its own
    };
    // Of each of these prefixes, several on their way down in turn: what one waits for from memory comes
    // while the others go on. `found` is as long as `sought`.
    void around(std::span<const prefix<A>> sought, std::span<surroundings> found) const noexcept;

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

    static bool is_fork(link l) noexcept { return (l & 1) != 0; }
    static link fork_link(std::uint32_t i) noexcept { return i << 1 | 1; }
    static link route_link(std::uint32_t i) noexcept { return i << 1; }
    const route_node& route_at(link l) const noexcept { return routes_[l >> 1]; }
    route_node& route_at(link l) noexcept { return routes_[l >> 1]; }
    const fork_node& fork_at(link l) const noexcept { return forks_[l >> 1]; }
    fork_node& fork_at(link l) noexcept { return forks_[l >> 1]; }

    unsigned length_of(link l) const noexcept { return is_fork(l) ? fork_at(l).length : route_at(l).length; }
    const link* children_of(link l) const noexcept {
        return is_fork(l) ? fork_at(l).child : route_at(l).child;
    }
    link* children_of(link l) noexcept { return is_fork(l) ? fork_at(l).child : route_at(l).child; }

    static value differing(value a, value b, unsigned length) noexcept {
        return shift_right(static_cast<value>(a ^ b), A::bits - length);
    }
    // Needs length < bits, as every node with children has.
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

    // True when no route at or below this node matches the address; may be false without one for forks.
    bool astray(link l, value a) const noexcept {
        if (is_fork(l))
            return fork_at(l).stem != stem_of(a, fork_at(l).length);
        return differing(a, route_at(l).key, route_at(l).length) != 0;
    }
    // The key of some route at or below; all agree on the node's bits.
    value key_below(link l) const noexcept {
        while (is_fork(l))
            l = fork_at(l).child[0];
        return route_at(l).key;
    }
    // The top node of those that `p` covers.
    link below(const prefix<A>& p) const noexcept {
        link at = root_;
        while (at != nil && length_of(at) < p.length)
            at = children_of(at)[branch(p.base.value, length_of(at))];
        return at != nil && p.contains(A{key_below(at)}) ? at : nil;
    }
    link descend(const prefix<A>& p, trail& way) const noexcept;
    class search;
    // The link that leads to the i-th node of the way, or to where it would be.
    link& link_to(const trail& way, unsigned i, value a) noexcept {
        if (i == 0)
            return root_;
        const link parent = way.nodes[i - 1];
        return children_of(parent)[branch(a, length_of(parent))];
    }
    void fill(std::uint32_t i, const prefix<A>& p, next_hop hop) noexcept {
        routes_[i].key = p.base.value;
        routes_[i].length = p.length;
        routes_[i].hop = hop;
    }
    std::uint32_t make_fork(value key, unsigned length) noexcept {
        const std::uint32_t i = forks_.allocate();
        if (i == forks_.nil)
            return i;
        forks_[i].length = static_cast<std::uint8_t>(length);
        forks_[i].stem = stem_of(key, length);
        return i;
    }
    void unlink(const trail& way, value a) noexcept;
    bool append(const route<A>& r, trail& way) noexcept;
    void swap(path_trie& other) noexcept {
        std::swap(routes_, other.routes_);
        std::swap(forks_, other.forks_);
        std::swap(root_, other.root_);
        way_.count = other.way_.count = 0;
    }

    node_pool<route_node> routes_;
    node_pool<fork_node> forks_;
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
    friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept { return i.at_ == nil; }

  private:
    void push(link l) noexcept {
        if (l != nil)
            waiting_[count_++] = l;
    }
    void push_children() noexcept {
        const link* child = trie_->children_of(at_);
        push(child[1]);
        push(child[0]);
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

// One of several searches for what is around a prefix: the way down to the first node that is not shorter,
// then on to a route, whose key tells how far the way was right.
template <class A>
class path_trie<A>::search {
  public:
    // Of a trie that is not empty.
    void start(const path_trie& trie, const prefix<A>& p) noexcept {
        trie_ = &trie;
        sought_ = p;
        at_ = trie.root_;
        end_ = nil;
        count_ = 0;
    }
    // Goes one node down and asks for what it needs there; false at the end.
    bool step() noexcept {
        link next = nil;
        if (end_ == nil) {
            nodes_[count_++] = at_;
            if (const unsigned length = trie_->length_of(at_); length < sought_.length)
                next = trie_->children_of(at_)[branch(sought_.base.value, length)];
            else
                end_ = at_;
        }
        if (end_ != nil && is_fork(at_))
            next = trie_->fork_at(at_).child[0];
        if (next == nil)
            return false;
        at_ = next;
        __builtin_prefetch(trie_->children_of(at_));
        return true;
    }
    surroundings found() const noexcept {
        surroundings made;
        // Nodes of the way share their bits with any key at its end.
        const unsigned common = common_length(sought_.base, A{trie_->route_at(at_).key});
        for (unsigned i = count_; i-- > 0;) {
            const link above = nodes_[i];
            if (is_fork(above))
                continue;
            const route_node& node = trie_->route_at(above);
            if (node.length < sought_.length && node.length <= common) {
                made.cover = node.hop;
                made.cover_length = node.length;
                break;
            }
        }
        if (end_ == nil || common < sought_.length)
            return made;
        made.alone = false;
        if (!is_fork(end_) && trie_->route_at(end_).length == sought_.length) {
            const route_node& node = trie_->route_at(end_);
            made.hop = node.hop;
            made.alone = node.child[0] == nil && node.child[1] == nil;
        }
        return made;
    }

  private:
    const path_trie* trie_ = nullptr;
    prefix<A> sought_{};
    link at_ = nil;
    link end_ = nil; // the first node that is not shorter, nil before it is found
    unsigned count_ = 0;
    std::array<link, A::bits + 1> nodes_; // of the way
};

template <class A>
void path_trie<A>::around(std::span<const prefix<A>> sought, std::span<surroundings> found) const noexcept {
    constexpr std::size_t together = 8;
    std::array<search, together> searches;
    for (std::size_t first = 0; first < sought.size(); first += together) {
        const std::size_t count = std::min(together, sought.size() - first);
        if (root_ == nil) {
            std::fill_n(found.begin() + static_cast<std::ptrdiff_t>(first), count, surroundings{});
            continue;
        }
        for (std::size_t i = 0; i < count; ++i)
            searches[i].start(*this, sought[first + i]);
        for (unsigned under_way = (1u << count) - 1; under_way != 0;)
            for (unsigned left = under_way; left != 0; left &= left - 1)
                if (const auto i = static_cast<unsigned>(std::countr_zero(left)); !searches[i].step())
                    under_way &= ~(1u << i);
        for (std::size_t i = 0; i < count; ++i)
            found[first + i] = searches[i].found();
    }
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

    const std::uint32_t made = routes_.allocate();
    if (made == routes_.nil)
        return unexpected{errc::out_of_memory};
    fill(made, p, hop);
    if (at == nil) {
        link_to(way, way.count, a) = route_link(made);
    } else if (here) {
        std::copy_n(fork_at(at).child, 2, routes_[made].child);
        link_to(way, way.count - 1, a) = route_link(made);
        forks_.release(at >> 1);
    } else if (parting == p.length) {
        routes_[made].child[branch(key, parting)] = at;
        link_to(way, way.count - 1, a) = route_link(made);
    } else {
        const std::uint32_t fork = make_fork(a, parting);
        if (fork == forks_.nil) {
            routes_.release(made);
            return unexpected{errc::out_of_memory};
        }
        forks_[fork].child[branch(a, parting)] = route_link(made);
        forks_[fork].child[branch(key, parting)] = at;
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
        if (fork == forks_.nil)
            return unexpected{errc::out_of_memory};
        std::copy_n(child, 2, forks_[fork].child);
        link_to(way, way.count - 1, a) = fork_link(fork);
    } else if (child[0] != nil || child[1] != nil) {
        link_to(way, way.count - 1, a) = child[0] != nil ? child[0] : child[1];
    } else {
        unlink(way, a);
    }
    way.count -= std::min(way.count, 2u); // the node, and the fork above it
    // Freed nodes wait for new routes, so that taking the last change back cannot fail; see tidy().
    routes_.release(at >> 1);
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
    forks_.release(parent >> 1);
}

template <class A>
errc path_trie<A>::build(std::span<const route<A>> sorted) noexcept {
    path_trie built;
    if (!built.routes_.reserve(sorted.size()))
        return errc::out_of_memory;
    trail way;
    for (const route<A>& r : sorted)
        if (!built.append(r, way))
            return errc::out_of_memory;
    swap(built);
    return errc::ok;
}

template <class A>
void path_trie<A>::tidy() noexcept {
    if (size() == 0)
        return clear();
    if (!routes_.sparse() && !forks_.sparse())
        return;
    path_trie copy;
    if (!copy.routes_.reserve(routes_.size()) || !copy.forks_.reserve(forks_.size()))
        return;
    trail way;
    for (const route<A>& r : all())
        if (!copy.append(r, way))
            return;
    swap(copy);
}

// Adds a route that comes after all others: only the way to the last one can change.
template <class A>
bool path_trie<A>::append(const route<A>& r, trail& way) noexcept {
    const value a = r.where.base.value;
    const std::uint32_t made = routes_.allocate();
    if (made == routes_.nil)
        return false;
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
            if (fork == forks_.nil)
                return false;
            forks_[fork].child[0] = under;
            link_to(way, way.count, a) = fork_link(fork);
            way.push(fork_link(fork));
        }
    }
    link_to(way, way.count, a) = route_link(made);
    way.push(route_link(made));
    return true;
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

} // namespace fingerpost
