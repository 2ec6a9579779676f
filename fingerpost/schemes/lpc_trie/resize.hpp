// Chooses the stride of a tnode: the tnode is doubled if the result is well filled, and halved if it is
// nearly empty.
//
//     inflate   taken + full slots >= 1/2 of the slots after doubling              30 % at the root
//     halve     taken slots < 1/4 of the slots                                     15 % at the root
//     collapse  one child or none
//
// A full slot has a tnode whose field follows directly, so it becomes two taken slots when the parent
// doubles. So taken + full is the number of taken slots in the doubled tnode. A doubled tnode is at least
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
    explicit resizer(nodes<A>& all) noexcept : all_(all) {}

    // Resizes all tnodes from this one up to the root.
    errc resize_upwards(std::uint32_t tnode) noexcept {
        while (tnode != nil) {
            const std::uint32_t above = all_.head_of(tnode).parent;
            if (const errc failure = resize(tnode); failure != errc::ok)
                return failure;
            tnode = above;
        }
        return errc::ok;
    }

    static bool is_worth_doubling(std::uint64_t taken_then, unsigned bits, bool is_root) noexcept {
        return taken_then * 100 >= (is_root ? 30u : 50u) * (std::uint64_t{2} << bits);
    }

  private:
    // Limit of rounds for one tnode, so that a single change does not take too long.
    static constexpr unsigned most_rounds = 10;

    static bool should_inflate(const head& h) noexcept {
        const std::uint32_t taken_then = h.taken() + h.full;
        return taken_then > 1 && h.pos > 0 && h.bits < nodes<A>::most_bits &&
               is_worth_doubling(taken_then, h.bits, h.parent == nil);
    }
    static bool should_halve(const head& h) noexcept {
        return h.taken() > 1 && h.bits > 1 &&
               std::uint64_t{h.taken()} * 100 < (h.parent == nil ? 15u : 25u) * std::uint64_t{h.slots()};
    }

    errc resize(std::uint32_t tnode) noexcept {
        unsigned rounds = 0;
        for (; rounds < most_rounds && should_inflate(all_.head_of(tnode)); ++rounds)
            if (const errc failure = inflate(tnode); failure != errc::ok)
                return failure;
        if (rounds > 0)
            return errc::ok;
        for (; rounds < most_rounds && should_halve(all_.head_of(tnode)); ++rounds)
            if (const errc failure = halve(tnode); failure != errc::ok)
                return failure;
        const head h = all_.head_of(tnode);
        if (h.taken() < 2)
            all_.replace(h.parent, all_.index_in_parent(h), without_need(tnode, h));
        return errc::ok;
    }
    // The slot for a new tnode. If the tnode has only one child, frees the tnode and returns the child's slot
    // instead.
    slot without_need(std::uint32_t tnode, const head& h) noexcept {
        if (h.taken() > 1)
            return all_.slot_of(tnode, h);
        slot only;
        for (std::uint32_t i = 0; i < h.slots() && !only.there(); ++i)
            only = all_.child(tnode, i);
        all_.release_tnode(tnode, h.bits);
        return only;
    }

    errc inflate(std::uint32_t& tnode) noexcept {
        const head old = all_.head_of(tnode);
        const std::uint32_t made = all_.make_tnode(old.key, old.pos - 1u, old.bits + 1u, old.parent);
        if (made == nil)
            return shortage(old.bits + 1u);
        head h = all_.head_of(made);
        for (std::uint32_t i = 0; i < old.slots(); ++i) {
            const slot below = all_.child(tnode, i);
            if (!below.there())
                continue;
            if (!old.is_full(below)) {
                all_.add(h, made, h.index_of(all_.key_of(below)), below);
                continue;
            }
            slot halves[2];
            if (const errc failure = split(below, halves); failure != errc::ok)
                return failure;
            all_.add(h, made, 2 * i, halves[0]);
            all_.add(h, made, 2 * i + 1, halves[1]);
        }
        return put_in_place(tnode, made, h);
    }
    // Splits a full child into two nodes, one for each value of the first bit of its field.
    errc split(const slot& whole, slot (&halves)[2]) noexcept {
        const head old = all_.head_of(whole.offset);
        const unsigned bits = whole.bits - 1u;
        for (const std::uint32_t side : {0u, 1u}) {
            if (bits == 0) {
                halves[side] = all_.child(whole.offset, side);
                continue;
            }
            const value first = static_cast<value>(value{side} << (old.pos + bits));
            const std::uint32_t made =
                all_.make_tnode(static_cast<value>(old.key | first), old.pos, bits, nil);
            if (made == nil)
                return shortage(bits);
            head h = all_.head_of(made);
            for (std::uint32_t i = 0; i < h.slots(); ++i)
                all_.add(h, made, i, all_.child(whole.offset, (side << bits) + i));
            all_.set_head(made, h);
            halves[side] = without_need(made, h);
        }
        all_.release_tnode(whole.offset, whole.bits);
        return errc::ok;
    }

    errc halve(std::uint32_t& tnode) noexcept {
        const head old = all_.head_of(tnode);
        const std::uint32_t made = all_.make_tnode(old.key, old.pos + 1u, old.bits - 1u, old.parent);
        if (made == nil)
            return shortage(old.bits - 1u);
        head h = all_.head_of(made);
        for (std::uint32_t i = 0; i < h.slots(); ++i) {
            const slot pair[2] = {all_.child(tnode, 2 * i), all_.child(tnode, 2 * i + 1)};
            if (!pair[0].there() || !pair[1].there()) {
                all_.add(h, made, i, pair[0].there() ? pair[0] : pair[1]);
                continue;
            }
            const std::uint32_t both = all_.make_tnode(all_.key_of(pair[0]), old.pos, 1, nil);
            if (both == nil)
                return shortage(1);
            head fork = all_.head_of(both);
            all_.add(fork, both, 0, pair[0]);
            all_.add(fork, both, 1, pair[1]);
            all_.set_head(both, fork);
            all_.add(h, made, i, all_.slot_of(both, fork));
        }
        return put_in_place(tnode, made, h);
    }

    // Replaces a tnode by its resized copy, then resizes the changed tnodes below.
    errc put_in_place(std::uint32_t& tnode, std::uint32_t made, const head& h) noexcept {
        const unsigned old_bits = all_.head_of(tnode).bits;
        all_.set_head(made, h);
        all_.replace(h.parent, all_.index_in_parent(h), all_.slot_of(made, h));
        all_.release_tnode(tnode, old_bits);
        tnode = made;
        for (std::uint32_t i = 0; i < h.slots(); ++i) {
            const slot below = all_.child(made, i);
            if (!h.is_full(below))
                continue;
            if (const errc failure = resize(below.offset); failure != errc::ok)
                return failure;
        }
        return errc::ok;
    }

    errc shortage(unsigned bits) const noexcept { return all_.tnodes.shortage(all_.words_of(bits)); }

    nodes<A>& all_;
};

} // namespace fingerpost::lpc_trie
