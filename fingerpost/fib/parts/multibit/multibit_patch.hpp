// Insertion, deletion and next hop changes in a multibit trie without leaf pushing.
//
// A route is stored in one node: the one that covers the route's last bit. There it owns the slots to which
// it expands, except those of longer routes in the same node, which are identified by the length in each
// slot. So an insertion takes the slots of shorter or equal routes. A deletion gives its slots to the longest
// shorter route in the node, which is the route's cover if that is in this node. Otherwise they have no
// route.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/multibit/multibit_trie.hpp"
#include "fingerpost/rib/change.hpp"

namespace fingerpost {

// stride_of_new(strides, level, remaining bits of the route) chooses the stride of a new node.
template <class A, class Strides>
class open_trie : public multibit_trie<A, open_slot, Strides> {
    using base = multibit_trie<A, open_slot, Strides>;
    using base::slots_;
    using base::strides_;
    using typename base::pool;

  public:
    using base::base;
    using typename base::slot;

    // Inserts a route that is longer than 0.
    template <class StrideOfNew>
    errc insert(const prefix<A>& where, next_hop hop, StrideOfNew stride_of_new) noexcept {
        node at{0, strides_.root(), 0};
        for (unsigned level = 1; where.length > at.depth + at.stride; ++level) {
            const std::uint32_t above = slot_of(at, where);
            const unsigned border = at.depth + at.stride;
            if (slots_.at(above)->has_child()) {
                at = below(above, border, level);
                continue;
            }
            const unsigned stride = stride_of_new(strides_, level, where.length - border);
            const std::uint32_t child = slots_.allocate(std::uint32_t{1} << stride);
            if (child == slots_.nil)
                return slots_.shortage(std::uint32_t{1} << stride);
            slots_.at(above)->set_child(child, stride);
            at = {child, stride, border};
        }
        const unsigned length = where.length - at.depth;
        for (slot& s : expanded(at, where))
            if (s.length() <= length)
                s.set_route(hop, length);
        return errc::ok;
    }

    // `cover` may be any shorter route, or none.
    void erase(const prefix<A>& where, next_hop cover, unsigned cover_length) noexcept {
        std::array<std::uint32_t, A::bits + 1> way{}; // slots on the way down
        std::array<node, A::bits + 1> nodes{};
        nodes[0] = {0, strides_.root(), 0};
        unsigned level = 0;
        while (where.length > nodes[level].depth + nodes[level].stride) {
            const node& at = nodes[level];
            way[level] = slot_of(at, where);
            if (!slots_.at(way[level])->has_child())
                return;
            nodes[level + 1] = below(way[level], at.depth + at.stride, level + 1);
            ++level;
        }
        const node& last = nodes[level];
        const unsigned length = where.length - last.depth;
        const bool is_covered = cover != next_hop::none && cover_length > last.depth;
        for (slot& s : expanded(last, where)) {
            if (s.length() != length)
                continue;
            if (is_covered)
                s.set_route(cover, cover_length - last.depth);
            else
                s.clear_route();
        }
        for (; level > 0 && is_empty(nodes[level]); --level) {
            slots_.at(way[level - 1])->clear_child();
            slots_.release(nodes[level].offset, std::uint32_t{1} << nodes[level].stride);
        }
    }

    std::size_t slots() const noexcept { return slots_.size(); }
    std::size_t live_slots() const noexcept { return slots_.live_elements(); }
    bool sparse() const noexcept { return slots_.sparse(); }

    // Copies the nodes level by level, so that no slot is unused. Does nothing if there is no room for the
    // copy. Throws std::bad_alloc.
    void compact() {
        pool copy;
        if (!copy.reserve(slots_.live_elements()))
            return;
        struct moved {
            std::uint32_t from;
            std::uint32_t above; // in the copy
            unsigned stride;
            unsigned level;
        };
        std::vector<moved> nodes{{0, 0, strides_.root(), 0}};
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const moved source = nodes[i];
            const std::uint32_t offset = copy.allocate(std::uint32_t{1} << source.stride);
            if (i > 0)
                copy.at(source.above)->set_child(offset, source.stride);
            for (std::uint32_t s = 0; s >> source.stride == 0; ++s) {
                const slot content = *slots_.at(source.from + s);
                *copy.at(offset + s) = content;
                if (content.has_child())
                    nodes.push_back({content.child(), offset + s,
                                     strides_.of_child(content, source.level + 1), source.level + 1});
            }
        }
        slots_ = std::move(copy);
    }

  private:
    struct node {
        std::uint32_t offset;
        unsigned stride;
        unsigned depth;
    };

    static std::uint32_t slot_of(const node& at, const prefix<A>& where) noexcept {
        return at.offset + static_cast<std::uint32_t>(slice(where.base, at.depth, at.stride));
    }
    node below(std::uint32_t above, unsigned depth, unsigned level) const noexcept {
        const slot s = *slots_.at(above);
        return {s.child(), strides_.of_child(s, level), depth};
    }
    std::span<slot> expanded(const node& at, const prefix<A>& where) noexcept {
        const unsigned wild = at.depth + at.stride - where.length;
        return {slots_.at(slot_of(at, where)), std::size_t{1} << wild};
    }
    bool is_empty(const node& at) const noexcept {
        const slot* const first = slots_.at(at.offset);
        return std::all_of(first, first + (std::size_t{1} << at.stride), [](slot s) { return s.empty(); });
    }
};

} // namespace fingerpost
