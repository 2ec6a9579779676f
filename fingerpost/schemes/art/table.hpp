// The nodes and routes of an allotment routing table: building, changes and copies.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/fib/parts/multibit/slot_bitmap.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::art {

inline constexpr unsigned stride = 8;
inline constexpr unsigned fringe = 1u << stride; // number of the fringe's first entry

// An entry holds nothing, the route that was allotted to it or, only in the fringe, a child node.
using entry = std::uint32_t;
inline constexpr entry no_route = 0;
inline constexpr entry node_bit = 0x80000000;
constexpr bool is_node(entry e) noexcept {
    return (e & node_bit) != 0;
}
constexpr entry entry_of_route(std::uint32_t number) noexcept {
    return number + 1;
}

// A complete binary tree in heap order: the entries below an entry belong to longer prefixes.
struct node {
    static constexpr unsigned entries = 2 * fringe;
    // Entry 0 has no prefix. It counts the node's routes below entry 1 and its child nodes.
    std::array<entry, entries> heap{};
};
static_assert(sizeof(node) == 2048);

// `depth` is the length of a node's prefix. A route of exactly that length is entry 1 of the node, although
// the fringe of the parent has an entry for it too.
template <class A>
class table {
  public:
    static constexpr std::size_t most = (std::size_t{1} << 31) - 2;

    explicit table(std::size_t most_nodes = most) noexcept : nodes_(most_nodes), routes_(most) {}

    // Required by fib/layout.hpp.
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("nodes", of.nodes_);
        visit("routes", of.routes_);
        visit("root", of.root_);
    }

    const node* nodes() const noexcept { return nodes_.data(); }
    std::span<const next_hop> routes() const noexcept { return {routes_.data(), routes_.size()}; }
    std::uint32_t root() const noexcept { return root_; }
    std::size_t node_count() const noexcept { return nodes_.size(); }
    bool sparse() const noexcept { return nodes_.sparse() || routes_.sparse(); }

    errc build(std::span<const route<A>> sorted) noexcept {
        root_ = nodes_.allocate(1);
        if (root_ == nodes_.nil)
            return nodes_.shortage(1);
        for (const route<A>& r : sorted)
            if (const errc failure = announce(r.where, r.hop); failure != errc::ok)
                return failure;
        compact();
        return errc::ok;
    }

    errc announce(const prefix<A>& where, next_hop hop) noexcept {
        std::uint32_t number = root_;
        unsigned depth = 0;
        for (; where.length > depth + stride; depth += stride) {
            const unsigned at = fringe_of(where.base, depth);
            if (!is_node(heap(number)[at]))
                if (const errc failure = begin_node(number, at); failure != errc::ok)
                    return failure;
            number = heap(number)[at] & ~node_bit;
        }
        const auto [end, at] = place_of(number, depth, where);
        if (has_own(end, at)) {
            *routes_.at(heap(end)[at] - 1) = hop;
            return errc::ok;
        }
        const std::uint32_t route_number = routes_.allocate(1);
        if (route_number == routes_.nil)
            return routes_.shortage(1);
        *routes_.at(route_number) = hop;
        heap(end)[0] += at == 1 ? 0u : 1u;
        allot(heap(end), at, heap(end)[at], entry_of_route(route_number));
        return errc::ok;
    }

    // Removes a route if it exists, and the nodes that only it needs.
    void withdraw(const prefix<A>& where) noexcept {
        std::array<std::uint32_t, A::bits / stride + 2> way{root_};
        unsigned last = 0;
        unsigned depth = 0;
        for (; where.length > depth + stride; depth += stride) {
            const entry below = heap(way[last])[fringe_of(where.base, depth)];
            if (!is_node(below))
                return;
            way[++last] = below & ~node_bit;
        }
        const auto [end, at] = place_of(way[last], depth, where);
        if (!has_own(end, at))
            return;
        const entry old = heap(end)[at];
        heap(end)[0] -= at == 1 ? 0u : 1u;
        allot(heap(end), at, old, inherited(end, at));
        routes_.release(old - 1, 1);
        for (; last > 0 && heap(way[last])[0] == 0; --last)
            end_node(way[last], way[last - 1], fringe_of(where.base, (last - 1) * stride));
    }

    // Copies everything to memory without slack. Does nothing if memory is short.
    void compact() noexcept {
        table copy;
        if (!copy.nodes_.reserve(nodes_.live_elements()) || !copy.routes_.reserve(routes_.live_elements()))
            return;
        copy.root_ = copy_node(root_, copy);
        *this = std::move(copy);
    }

    static unsigned fringe_of(A a, unsigned depth) noexcept {
        return base_index(slice(a, depth, stride), stride);
    }

  private:
    using heap_type = std::array<entry, node::entries>;
    heap_type& heap(std::uint32_t number) noexcept { return nodes_.at(number)->heap; }
    const heap_type& heap(std::uint32_t number) const noexcept { return nodes_.at(number)->heap; }

    // Returns the node and the entry of a route that is at most one stride longer than node `number`.
    std::pair<std::uint32_t, unsigned> place_of(std::uint32_t number, unsigned depth,
                                                const prefix<A>& where) const noexcept {
        const unsigned rest = where.length - depth;
        const unsigned at = base_index(slice(where.base, depth, rest), rest);
        const entry there = heap(number)[at];
        return is_node(there) ? std::pair{there & ~node_bit, 1u} : std::pair{number, at};
    }
    // The content of an entry without its own route.
    entry inherited(std::uint32_t number, unsigned at) const noexcept {
        return at == 1 ? no_route : heap(number)[at / 2];
    }
    bool has_own(std::uint32_t number, unsigned at) const noexcept {
        return heap(number)[at] != inherited(number, at);
    }
    // Replaces `old` by `route_entry` in an entry and below it. Stops at entries with other content, which
    // belong to longer routes.
    static void allot(heap_type& heap, unsigned at, entry old, entry route_entry) noexcept {
        if (heap[at] != old)
            return;
        heap[at] = route_entry;
        if (at < fringe) {
            allot(heap, 2 * at, old, route_entry);
            allot(heap, 2 * at + 1, old, route_entry);
        }
    }

    // Makes a child below a fringe entry. The entry's own route, if any, becomes entry 1 of the child.
    errc begin_node(std::uint32_t above, unsigned at) noexcept {
        const std::uint32_t child = nodes_.allocate(1);
        if (child == nodes_.nil)
            return nodes_.shortage(1);
        if (has_own(above, at)) {
            allot(heap(child), 1, no_route, heap(above)[at]);
            --heap(above)[0];
        }
        heap(above)[at] = child | node_bit;
        ++heap(above)[0];
        return errc::ok;
    }
    void end_node(std::uint32_t number, std::uint32_t above, unsigned at) noexcept {
        const entry own = heap(number)[1];
        heap(above)[at] = own != no_route ? own : inherited(above, at);
        heap(above)[0] -= own != no_route ? 0u : 1u;
        nodes_.release(number, 1);
    }

    std::uint32_t copy_node(std::uint32_t from, table& to) const noexcept {
        const std::uint32_t copy_number = to.nodes_.allocate(1);
        heap_type& copy = to.heap(copy_number);
        const heap_type& old = heap(from);
        copy[0] = old[0];
        for (unsigned at = 1; at < node::entries; ++at) {
            const entry above = at == 1 ? no_route : old[at / 2];
            if (is_node(old[at]))
                copy[at] = copy_node(old[at] & ~node_bit, to) | node_bit;
            else if (old[at] == above)
                copy[at] = at == 1 ? no_route : copy[at / 2];
            else
                copy[at] = copy_route(old[at], to);
        }
        return copy_number;
    }
    entry copy_route(entry old, table& to) const noexcept {
        const std::uint32_t route_number = to.routes_.allocate(1);
        *to.routes_.at(route_number) = *routes_.at(old - 1);
        return entry_of_route(route_number);
    }

    block_pool<node, 1> nodes_;
    block_pool<next_hop, 1> routes_;
    std::uint32_t root_ = 0;
};

} // namespace fingerpost::art
