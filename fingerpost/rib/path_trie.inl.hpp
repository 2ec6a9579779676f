// Definitions of path_trie<A> members, for the library and for tests of other widths.
#pragma once

#include <algorithm>
#include <cassert>
#include <utility>

#include "fingerpost/rib/path_search.hpp"
#include "fingerpost/rib/path_trie.hpp"

namespace fingerpost {

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

// Records the path down to the first node that is not shorter than `p`, and returns that node, or nil if the
// path ends earlier. It follows the bits at which nodes branch and may be astray, which one key at its end
// shows. Two paths are equal while they branch at bits that their prefixes share.
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
    unsigned parting = p.length; // number of bits that `p` shares with this path
    value key = 0;
    if (way.count > 0) {
        key = key_below(way.back());
        parting = std::min<unsigned>(common_length(p.base, A{key}), p.length);
        // Back up to where `p` diverges from the path.
        if (at != nil || parting < length_of(way.back())) {
            while (way.count > 1 && length_of(way.nodes[way.count - 2]) >= parting)
                --way.count;
            at = way.back();
        }
    }
    const bool is_at_p = at != nil && length_of(at) == p.length && parting == p.length;
    if (is_at_p && !is_fork(at))
        return std::exchange(route_at(at).hop, hop);

    const std::uint32_t added = route_pool.allocate();
    if (added == route_pool.nil)
        return unexpected{route_pool.shortage()};
    fill(added, p, hop);
    if (at == nil) {
        link_to(way, way.count, a) = route_link(added);
    } else if (is_at_p) {
        std::copy_n(fork_at(at).child, 2, route_pool[added].child);
        link_to(way, way.count - 1, a) = route_link(added);
        fork_pool.release(at >> 1);
    } else if (parting == p.length) {
        route_pool[added].child[branch(key, parting)] = at;
        link_to(way, way.count - 1, a) = route_link(added);
    } else {
        const std::uint32_t fork = make_fork(a, parting);
        if (fork == fork_pool.nil) {
            route_pool.release(added);
            return unexpected{fork_pool.shortage()};
        }
        fork_pool[fork].child[branch(a, parting)] = route_link(added);
        fork_pool[fork].child[branch(key, parting)] = at;
        link_to(way, way.count - 1, a) = fork_link(fork);
    }
    way.count -= way.count > 0; // the last node may be replaced
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
    // Freed nodes are kept for new routes, so undoing the last change cannot fail; see compact().
    route_pool.release(at >> 1);
    return before;
}

// Removes the last node of the path, which is a leaf, and a fork above it.
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
    for (const route<A>& r : routes())
        if (copy.append(r, way) != errc::ok)
            return;
    swap(copy);
}

// Appends a route after all others. Only the path to the last one can change.
template <class A>
errc path_trie<A>::append(const route<A>& r, trail& way) noexcept {
    const value a = r.where.base.value;
    const std::uint32_t added = route_pool.allocate();
    if (added == route_pool.nil)
        return route_pool.shortage();
    fill(added, r.where, r.hop);
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
    link_to(way, way.count, a) = route_link(added);
    way.push(route_link(added));
    return errc::ok;
}

template <class A>
void path_trie<A>::find_neighbours(std::span<const prefix<A>> sought,
                                   std::span<neighbours> results) const noexcept {
    detail::search_paths<A>(*this, root_, sought, results);
}

} // namespace fingerpost
