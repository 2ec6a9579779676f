// Chooses the stride of a tnode: the tnode is doubled if the result is well filled, and halved if it is
// nearly empty.
//
//     inflate   used + full slots >= 1/2 of the slots after doubling              30 % at the root
//     halve     used slots < 1/4 of the slots                                     15 % at the root
//     collapse  one child or none
//
// A full slot has a tnode whose field follows directly, so it becomes two used slots when the parent
// doubles. So used + full is the number of used slots in the doubled tnode. A doubled tnode is at least
// half full. It is halved only after it has lost half of that, so doubling and halving cannot alternate.
//
// Each round makes a new tnode with twice or half the slots and moves the children.
#pragma once

#include "fingerpost/base/expected.hpp"
#include "fingerpost/schemes/lpc_trie/nodes.hpp"

namespace fingerpost::lpc_trie {

template <class A>
class resizer {
    using head = header<A>;
    using value = typename A::value_type;

  public:
    explicit resizer(nodes<A>& trie_nodes) noexcept : nodes_(trie_nodes) {}

    // Resizes all tnodes from this one up to the root.
    errc resize_upwards(std::uint32_t tnode) noexcept {
        while (tnode != nil) {
            const std::uint32_t above = nodes_.head_of(tnode).parent;
            if (const errc failure = resize(tnode); failure != errc::ok)
                return failure;
            tnode = above;
        }
        return errc::ok;
    }

    static bool is_worth_doubling(std::uint64_t used_after, unsigned bits, bool is_root) noexcept {
        return used_after * 100 >= (is_root ? 30u : 50u) * (std::uint64_t{2} << bits);
    }

  private:
    // Limit of rounds for one tnode, so that a single change does not take too long.
    static constexpr unsigned most_rounds = 10;

    static bool should_inflate(const head& h) noexcept {
        const std::uint32_t used_after = h.used_slots() + h.full;
        return used_after > 1 && h.pos > 0 && h.bits < nodes<A>::most_bits &&
               is_worth_doubling(used_after, h.bits, h.parent == nil);
    }
    static bool should_halve(const head& h) noexcept {
        return h.used_slots() > 1 && h.bits > 1 &&
               std::uint64_t{h.used_slots()} * 100 < (h.parent == nil ? 15u : 25u) * std::uint64_t{h.slots()};
    }

    errc resize(std::uint32_t tnode) noexcept {
        unsigned rounds = 0;
        for (; rounds < most_rounds && should_inflate(nodes_.head_of(tnode)); ++rounds)
            if (const errc failure = inflate(tnode); failure != errc::ok)
                return failure;
        if (rounds > 0)
            return errc::ok;
        for (; rounds < most_rounds && should_halve(nodes_.head_of(tnode)); ++rounds)
            if (const errc failure = halve(tnode); failure != errc::ok)
                return failure;
        const head h = nodes_.head_of(tnode);
        if (h.used_slots() < 2)
            nodes_.replace(h.parent, nodes_.index_in_parent(h), without_need(tnode, h));
        return errc::ok;
    }
    // The slot for a new tnode. If the tnode has only one child, frees the tnode and returns the child's slot
    // instead.
    slot without_need(std::uint32_t tnode, const head& h) noexcept {
        if (h.used_slots() > 1)
            return nodes_.slot_of(tnode, h);
        slot only;
        for (std::uint32_t i = 0; i < h.slots() && !only.there(); ++i)
            only = nodes_.child(tnode, i);
        nodes_.release_tnode(tnode, h.bits);
        return only;
    }

    errc inflate(std::uint32_t& tnode) noexcept {
        const head old = nodes_.head_of(tnode);
        const std::uint32_t new_tnode = nodes_.make_tnode(old.key, old.pos - 1u, old.bits + 1u, old.parent);
        if (new_tnode == nil)
            return shortage(old.bits + 1u);
        head h = nodes_.head_of(new_tnode);
        for (std::uint32_t i = 0; i < old.slots(); ++i) {
            const slot below = nodes_.child(tnode, i);
            if (!below.there())
                continue;
            if (!old.is_full(below)) {
                nodes_.add(h, new_tnode, h.index_of(nodes_.key_of(below)), below);
                continue;
            }
            slot halves[2];
            if (const errc failure = split(below, halves); failure != errc::ok)
                return failure;
            nodes_.add(h, new_tnode, 2 * i, halves[0]);
            nodes_.add(h, new_tnode, 2 * i + 1, halves[1]);
        }
        return put_in_place(tnode, new_tnode, h);
    }
    // Splits a full child into two nodes, one for each value of the first bit of its field.
    errc split(const slot& whole, slot (&halves)[2]) noexcept {
        const head old = nodes_.head_of(whole.offset);
        const unsigned bits = whole.bits - 1u;
        for (const std::uint32_t side : {0u, 1u}) {
            if (bits == 0) {
                halves[side] = nodes_.child(whole.offset, side);
                continue;
            }
            const value first = static_cast<value>(value{side} << (old.pos + bits));
            const std::uint32_t half =
                nodes_.make_tnode(static_cast<value>(old.key | first), old.pos, bits, nil);
            if (half == nil)
                return shortage(bits);
            head h = nodes_.head_of(half);
            for (std::uint32_t i = 0; i < h.slots(); ++i)
                nodes_.add(h, half, i, nodes_.child(whole.offset, (side << bits) + i));
            nodes_.set_head(half, h);
            halves[side] = without_need(half, h);
        }
        nodes_.release_tnode(whole.offset, whole.bits);
        return errc::ok;
    }

    errc halve(std::uint32_t& tnode) noexcept {
        const head old = nodes_.head_of(tnode);
        const std::uint32_t new_tnode = nodes_.make_tnode(old.key, old.pos + 1u, old.bits - 1u, old.parent);
        if (new_tnode == nil)
            return shortage(old.bits - 1u);
        head h = nodes_.head_of(new_tnode);
        for (std::uint32_t i = 0; i < h.slots(); ++i) {
            const slot pair[2] = {nodes_.child(tnode, 2 * i), nodes_.child(tnode, 2 * i + 1)};
            if (!pair[0].there() || !pair[1].there()) {
                nodes_.add(h, new_tnode, i, pair[0].there() ? pair[0] : pair[1]);
                continue;
            }
            const std::uint32_t both = nodes_.make_tnode(nodes_.key_of(pair[0]), old.pos, 1, nil);
            if (both == nil)
                return shortage(1);
            head fork = nodes_.head_of(both);
            nodes_.add(fork, both, 0, pair[0]);
            nodes_.add(fork, both, 1, pair[1]);
            nodes_.set_head(both, fork);
            nodes_.add(h, new_tnode, i, nodes_.slot_of(both, fork));
        }
        return put_in_place(tnode, new_tnode, h);
    }

    // Replaces a tnode by its resized copy, then resizes the changed tnodes below.
    errc put_in_place(std::uint32_t& tnode, std::uint32_t new_tnode, const head& h) noexcept {
        const unsigned old_bits = nodes_.head_of(tnode).bits;
        nodes_.set_head(new_tnode, h);
        nodes_.replace(h.parent, nodes_.index_in_parent(h), nodes_.slot_of(new_tnode, h));
        nodes_.release_tnode(tnode, old_bits);
        tnode = new_tnode;
        for (std::uint32_t i = 0; i < h.slots(); ++i) {
            const slot below = nodes_.child(new_tnode, i);
            if (!h.is_full(below))
                continue;
            if (const errc failure = resize(below.offset); failure != errc::ok)
                return failure;
        }
        return errc::ok;
    }

    errc shortage(unsigned bits) const noexcept { return nodes_.tnodes.shortage(nodes_.words_of(bits)); }

    nodes<A>& nodes_;
};

} // namespace fingerpost::lpc_trie
