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
    explicit editor(nodes<A>& all) noexcept : all_(all) {}

    // Adds a route or replaces its next hop. After a failure, the trie may only be destroyed.
    errc insert(const prefix<A>& p, next_hop hop) noexcept {
        const value key = p.base.value;
        const unsigned suffix = A::bits - p.length;
        const spot at = find(key);
        if (holds(at.found, key))
            return add_to_leaf(at, suffix, hop);
        const std::uint32_t made = all_.leaves.allocate();
        if (made == nil)
            return all_.leaves.shortage();
        all_.leaves[made] = {key, hop, nil, static_cast<std::uint8_t>(suffix)};
        slot placed{made, 0, 0, static_cast<std::uint8_t>(suffix), way::skips};
        if (at.found.there() && !part(at, key, placed))
            return all_.tnodes.shortage(all_.words_of(1));
        all_.replace(at.parent, at.index, placed);
        raise_suffix(at.parent, placed.suffix);
        return resizer<A>(all_).resize_upwards(placed.is_leaf() ? at.parent : placed.offset);
    }

    // Removes a route if it exists. Sets `leaf_goes` if it was the only route of its leaf.
    errc erase(const prefix<A>& p, bool& leaf_goes) noexcept {
        const value key = p.base.value;
        const unsigned suffix = A::bits - p.length;
        const spot at = find(key);
        leaf_goes = false;
        if (!holds(at.found, key))
            return errc::ok;
        leaf& here = all_.leaves[at.found.offset];
        if (here.suffix == suffix && here.next == nil) {
            leaf_goes = true;
            all_.leaves.release(at.found.offset);
            all_.replace(at.parent, at.index, {});
            lower_suffix(at.parent, suffix);
            return resizer<A>(all_).resize_upwards(at.parent);
        }
        remove_alias(here, suffix);
        if (const unsigned longest = longest_of(here); longest < at.found.suffix) {
            all_.set_slot_suffix(at.parent, at.index, longest);
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
        slot found;
    };

    spot find(value key) const noexcept {
        spot at{.found = all_.root};
        while (at.found.there() && !at.found.is_leaf()) {
            const head h = all_.head_of(at.found.offset);
            if (shift_right(static_cast<value>(key ^ h.key), h.pos + h.bits) != 0)
                break;
            at.parent = at.found.offset;
            at.index = h.index_of(key);
            at.found = all_.child(at.parent, at.index);
        }
        return at;
    }
    bool holds(const slot& s, value key) const noexcept {
        return s.there() && s.is_leaf() && all_.leaves[s.offset].key == key;
    }

    // Makes a one-bit tnode with the new leaf and the existing node as children. Returns false if memory is
    // short.
    bool part(const spot& at, value key, slot& placed) noexcept {
        const value other = all_.key_of(at.found);
        const auto differing = static_cast<value>(key ^ other);
        const unsigned pos = sizeof(value) * 8 - 1 - leading_zeros(differing);
        const std::uint32_t made = all_.make_tnode(key, pos, 1, at.parent);
        if (made == nil)
            return false;
        head h = all_.head_of(made);
        all_.add(h, made, h.index_of(key), placed);
        all_.add(h, made, h.index_of(other), at.found);
        all_.set_head(made, h);
        placed = all_.slot_of(made, h);
        return true;
    }

    errc add_to_leaf(const spot& at, unsigned suffix, next_hop hop) noexcept {
        const std::uint32_t number = at.found.offset;
        if (next_hop* const there = hop_of(all_.leaves[number], suffix)) {
            *there = hop;
            return errc::ok;
        }
        const std::uint32_t made = all_.aliases.allocate();
        if (made == nil)
            return all_.aliases.shortage();
        leaf& here = all_.leaves[number];
        const auto as_byte = static_cast<std::uint8_t>(suffix);
        if (suffix < here.suffix) {
            all_.aliases[made] = {here.hop, here.next, here.suffix};
            here.hop = hop;
            here.suffix = as_byte;
            here.next = made;
            return errc::ok;
        }
        std::uint32_t* before = &here.next;
        while (*before != nil && all_.aliases[*before].suffix < suffix)
            before = &all_.aliases[*before].next;
        all_.aliases[made] = {hop, *before, as_byte};
        *before = made;
        if (suffix > at.found.suffix) {
            all_.set_slot_suffix(at.parent, at.index, suffix);
            raise_suffix(at.parent, suffix);
        }
        return errc::ok;
    }
    next_hop* hop_of(leaf& here, unsigned suffix) noexcept {
        if (here.suffix == suffix)
            return &here.hop;
        for (std::uint32_t i = here.next; i != nil; i = all_.aliases[i].next)
            if (all_.aliases[i].suffix == suffix)
                return &all_.aliases[i].hop;
        return nullptr;
    }
    // Removes a route of a leaf that has another one. Does nothing if no route has this suffix.
    void remove_alias(leaf& here, unsigned suffix) noexcept {
        if (here.suffix == suffix) {
            const std::uint32_t first = here.next;
            const alias moved = all_.aliases[first];
            here.hop = moved.hop;
            here.suffix = moved.suffix;
            here.next = moved.next;
            all_.aliases.release(first);
            return;
        }
        std::uint32_t* before = &here.next;
        while (*before != nil && all_.aliases[*before].suffix != suffix)
            before = &all_.aliases[*before].next;
        if (const std::uint32_t gone = *before; gone != nil) {
            *before = all_.aliases[gone].next;
            all_.aliases.release(gone);
        }
    }
    unsigned longest_of(const leaf& here) const noexcept {
        unsigned longest = here.suffix;
        for (std::uint32_t i = here.next; i != nil; i = all_.aliases[i].next)
            longest = all_.aliases[i].suffix;
        return longest;
    }

    // Raises suffixes from this tnode upwards, up to the first one that is long enough.
    void raise_suffix(std::uint32_t tnode, unsigned suffix) noexcept {
        while (tnode != nil) {
            head h = all_.head_of(tnode);
            if (h.suffix >= suffix)
                return;
            set_suffix(tnode, h, suffix);
            tnode = h.parent;
        }
    }
    // Lowers suffixes from this tnode upwards, while the removed suffix was the longest. A suffix that is too
    // long costs time; one that is too short hides routes.
    void lower_suffix(std::uint32_t tnode, unsigned gone) noexcept {
        while (tnode != nil) {
            head h = all_.head_of(tnode);
            if (gone < h.suffix)
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
        all_.set_head(tnode, h);
        all_.set_slot_suffix(h.parent, all_.index_in_parent(h), suffix);
    }
    // If a route's suffix is longer than pos + k, the low bits of its base are zero, so the index of its slot
    // ends with k + 1 zeros. So only slots that may have a longer suffix than those before are read. Stops at
    // the old suffix, because the result cannot be longer.
    unsigned longest_below(std::uint32_t tnode, const head& h) const noexcept {
        unsigned longest = std::max(h.pos, all_.child(tnode, 0).suffix);
        const unsigned most = std::min<unsigned>(h.suffix, h.pos + h.bits); // for all slots but the first
        for (std::uint64_t i = 0; longest < most;) {
            const std::uint64_t step = std::uint64_t{2} << (longest - h.pos);
            i = (i / step + 1) * step;
            if (i >= h.slots())
                break;
            const slot s = all_.child(tnode, static_cast<std::uint32_t>(i));
            longest = std::max<unsigned>(longest, s.suffix);
        }
        return longest;
    }

    nodes<A>& all_;
};

} // namespace fingerpost::lpc_trie
