// Inserts and removes single routes.
#pragma once

#include <algorithm>
#include <bit>

#include "fingerpost/schemes/lpc_trie/resize.hpp"

namespace fingerpost::lpc_trie {

template <class A>
class editor {
    using head = header<A>;
    using value = typename A::value_type;
    using alias = typename nodes<A>::alias;
    using leaf = typename nodes<A>::leaf;

  public:
    explicit editor(nodes<A>& trie_nodes) noexcept : nodes_(trie_nodes) {}

    // Adds a route or replaces its next hop. After a failure, the trie may only be destroyed.
    errc insert(const prefix<A>& p, next_hop hop) noexcept {
        const value key = p.base.value;
        const unsigned suffix = A::bits - p.length;
        const spot at = find(key);
        if (holds(at.occupant, key))
            return add_to_leaf(at, suffix, hop);
        const std::uint32_t leaf_number = nodes_.leaves.allocate();
        if (leaf_number == nil)
            return nodes_.leaves.shortage();
        nodes_.leaves[leaf_number] = {key, hop, nil, static_cast<std::uint8_t>(suffix)};
        slot placed{leaf_number, 0, 0, static_cast<std::uint8_t>(suffix), way::skips};
        if (at.occupant.there() && !part(at, key, placed))
            return nodes_.tnodes.shortage(nodes_.words_of(1));
        nodes_.replace(at.parent, at.index, placed);
        raise_suffix(at.parent, placed.suffix);
        return resizer<A>(nodes_).resize_upwards(placed.is_leaf() ? at.parent : placed.offset);
    }

    // Removes a route if it exists. Sets `leaf_goes` if it was the only route of its leaf.
    errc erase(const prefix<A>& p, bool& leaf_goes) noexcept {
        const value key = p.base.value;
        const unsigned suffix = A::bits - p.length;
        const spot at = find(key);
        leaf_goes = false;
        if (!holds(at.occupant, key))
            return errc::ok;
        leaf& target = nodes_.leaves[at.occupant.offset];
        if (target.suffix == suffix && target.next == nil) {
            leaf_goes = true;
            nodes_.leaves.release(at.occupant.offset);
            nodes_.replace(at.parent, at.index, {});
            lower_suffix(at.parent, suffix);
            return resizer<A>(nodes_).resize_upwards(at.parent);
        }
        remove_alias(target, suffix);
        if (const unsigned longest = longest_of(target); longest < at.occupant.suffix) {
            nodes_.set_slot_suffix(at.parent, at.index, longest);
            lower_suffix(at.parent, suffix);
        }
        return errc::ok;
    }

  private:
    // The end of a descent: an empty slot of `parent`, an empty root, a leaf, or a tnode with a different
    // key.
    struct spot {
        std::uint32_t parent = nil;
        std::uint32_t index = 0;
        slot occupant;
    };

    spot find(value key) const noexcept {
        spot at{.occupant = nodes_.root};
        while (at.occupant.there() && !at.occupant.is_leaf()) {
            const head h = nodes_.head_of(at.occupant.offset);
            if (shift_right(static_cast<value>(key ^ h.key), h.pos + h.bits) != 0)
                break;
            at.parent = at.occupant.offset;
            at.index = h.index_of(key);
            at.occupant = nodes_.child(at.parent, at.index);
        }
        return at;
    }
    bool holds(const slot& s, value key) const noexcept {
        return s.there() && s.is_leaf() && nodes_.leaves[s.offset].key == key;
    }

    // Makes a one-bit tnode with the new leaf and the existing node as children. Returns false if memory is
    // short.
    bool part(const spot& at, value key, slot& placed) noexcept {
        const value other = nodes_.key_of(at.occupant);
        const auto differing = static_cast<value>(key ^ other);
        const unsigned pos = sizeof(value) * 8 - 1 - leading_zeros(differing);
        const std::uint32_t tnode = nodes_.make_tnode(key, pos, 1, at.parent);
        if (tnode == nil)
            return false;
        head h = nodes_.head_of(tnode);
        nodes_.add(h, tnode, h.index_of(key), placed);
        nodes_.add(h, tnode, h.index_of(other), at.occupant);
        nodes_.set_head(tnode, h);
        placed = nodes_.slot_of(tnode, h);
        return true;
    }

    errc add_to_leaf(const spot& at, unsigned suffix, next_hop hop) noexcept {
        const std::uint32_t number = at.occupant.offset;
        if (next_hop* const there = hop_of(nodes_.leaves[number], suffix)) {
            *there = hop;
            return errc::ok;
        }
        const std::uint32_t alias_number = nodes_.aliases.allocate();
        if (alias_number == nil)
            return nodes_.aliases.shortage();
        leaf& target = nodes_.leaves[number];
        const auto as_byte = static_cast<std::uint8_t>(suffix);
        if (suffix < target.suffix) {
            nodes_.aliases[alias_number] = {target.hop, target.next, target.suffix};
            target.hop = hop;
            target.suffix = as_byte;
            target.next = alias_number;
            return errc::ok;
        }
        std::uint32_t* before = &target.next;
        while (*before != nil && nodes_.aliases[*before].suffix < suffix)
            before = &nodes_.aliases[*before].next;
        nodes_.aliases[alias_number] = {hop, *before, as_byte};
        *before = alias_number;
        if (suffix > at.occupant.suffix) {
            nodes_.set_slot_suffix(at.parent, at.index, suffix);
            raise_suffix(at.parent, suffix);
        }
        return errc::ok;
    }
    next_hop* hop_of(leaf& target, unsigned suffix) noexcept {
        if (target.suffix == suffix)
            return &target.hop;
        for (std::uint32_t i = target.next; i != nil; i = nodes_.aliases[i].next)
            if (nodes_.aliases[i].suffix == suffix)
                return &nodes_.aliases[i].hop;
        return nullptr;
    }
    // Removes a route of a leaf that has another one. Does nothing if no route has this suffix.
    void remove_alias(leaf& target, unsigned suffix) noexcept {
        if (target.suffix == suffix) {
            const std::uint32_t first = target.next;
            const alias moved = nodes_.aliases[first];
            target.hop = moved.hop;
            target.suffix = moved.suffix;
            target.next = moved.next;
            nodes_.aliases.release(first);
            return;
        }
        std::uint32_t* before = &target.next;
        while (*before != nil && nodes_.aliases[*before].suffix != suffix)
            before = &nodes_.aliases[*before].next;
        if (const std::uint32_t number = *before; number != nil) {
            *before = nodes_.aliases[number].next;
            nodes_.aliases.release(number);
        }
    }
    unsigned longest_of(const leaf& target) const noexcept {
        unsigned longest = target.suffix;
        for (std::uint32_t i = target.next; i != nil; i = nodes_.aliases[i].next)
            longest = nodes_.aliases[i].suffix;
        return longest;
    }

    // Raises suffixes from this tnode upwards, up to the first one that is long enough.
    void raise_suffix(std::uint32_t tnode, unsigned suffix) noexcept {
        while (tnode != nil) {
            head h = nodes_.head_of(tnode);
            if (h.suffix >= suffix)
                return;
            set_suffix(tnode, h, suffix);
            tnode = h.parent;
        }
    }
    // Lowers suffixes from this tnode upwards, while the removed suffix was the longest. A suffix that is too
    // long costs time; one that is too short hides routes.
    void lower_suffix(std::uint32_t tnode, unsigned old_suffix) noexcept {
        while (tnode != nil) {
            head h = nodes_.head_of(tnode);
            if (old_suffix < h.suffix)
                return;
            const unsigned longest = longest_below(tnode, h);
            if (longest == h.suffix)
                return;
            set_suffix(tnode, h, longest);
            tnode = h.parent;
        }
    }
    void set_suffix(std::uint32_t tnode, head& h, unsigned suffix) noexcept {
        h.suffix = static_cast<std::uint8_t>(suffix);
        nodes_.set_head(tnode, h);
        nodes_.set_slot_suffix(h.parent, nodes_.index_in_parent(h), suffix);
    }
    // If a route's suffix is longer than pos + k, the low bits of its base are zero, so the index of its slot
    // ends with k + 1 zeros. So only slots that may have a longer suffix than those before are read. Stops at
    // the old suffix, because the result cannot be longer.
    unsigned longest_below(std::uint32_t tnode, const head& h) const noexcept {
        unsigned longest = std::max(h.pos, nodes_.child(tnode, 0).suffix);
        // limit for all slots but the first
        const unsigned most = std::min<unsigned>(h.suffix, h.pos + h.bits);
        for (std::uint64_t i = 0; longest < most;) {
            const std::uint64_t step = std::uint64_t{2} << (longest - h.pos);
            i = (i / step + 1) * step;
            if (i >= h.slots())
                break;
            const slot s = nodes_.child(tnode, static_cast<std::uint32_t>(i));
            longest = std::max<unsigned>(longest, s.suffix);
        }
        return longest;
    }

    nodes<A>& nodes_;
};

} // namespace fingerpost::lpc_trie
