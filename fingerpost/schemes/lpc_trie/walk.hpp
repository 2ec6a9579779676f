// The walk of a lookup through the trie, one node a step.
//
// Down: address XOR key, shifted right by `pos`, is the index of the next slot. It is too large if skipped
// bits differ. A tnode whose field follows that of its parent skips no bits, and its key is not read. If some
// suffix below a tnode is longer than `pos`, the walk records that tnode, with the index, as the place to
// turn back to.
//
// Back: shorter routes have bases with more zeros at the end. So the next slot to try is that of the index
// with its lowest set bit cleared, and below it only what continues with zeros: slot 0 of each tnode. When
// the index has become 0, the search continues in the parent.
//
// A slot stores the longest suffix of what it leads to. So a slot that cannot match is skipped without
// reading its node.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/lpc_trie/nodes.hpp"

namespace fingerpost::lpc_trie {

// The watcher of a walk is told what the walk reads. Lookups have no watcher.
struct nobody {
    void key(std::uint32_t, const slot&, bool) const noexcept {}
    void slot_at(std::uint32_t, std::uint32_t, const slot&, bool) const noexcept {}
    void leaf(std::uint32_t, bool) const noexcept {}
    void alias(std::uint32_t, std::uint32_t, bool) const noexcept {}
};

template <class A>
struct walk {
    using value = typename A::value_type;

    value address;
    slot at;                        // the node to look at
    std::uint32_t turn = nil;       // the tnode to turn back to, and the index tried last
    std::uint32_t turn_index = 0;   //
    bool only_shorter = false;      // only zeros below, because the walk has left the address's own way
    next_hop best = next_hop::none; // the answer, at the end
};

template <class A>
class walker {
    using head = header<A>;
    using value = typename A::value_type;

  public:
    explicit walker(const nodes<A>& all) noexcept : all_(all) {}

    walk<A> start(A a) const noexcept {
        walk<A> w{.address = a.value, .at = all_.root};
        prefetch(w);
        return w;
    }
    // False at the end of the walk.
    template <class Watch = nobody>
    bool step(walk<A>& w, const Watch& watch = {}) const noexcept {
        if (!w.at.there())
            return false; // only if there is no route at all
        if (w.at.is_leaf())
            return !matches(w, watch) && turn_back(w, watch);
        return go_down(w, watch) || turn_back(w, watch);
    }
    next_hop answer(const walk<A>& w) const noexcept { return w.best; }

    // For a batch that looks up one address after the other: prefetches the slot of an address in the root
    // and, once that has arrived, the node that the slot leads to.
    void ask_for_slot(A a) const noexcept { prefetch({.address = a.value, .at = all_.root}); }
    void ask_below(A a) const noexcept {
        const slot& root = all_.root;
        if (root.there() && !root.is_leaf())
            prefetch({.address = a.value, .at = all_.child(root.offset, likely_index(root, a.value))});
    }

  private:
    static bool differs(value a, value b, unsigned suffix) noexcept {
        return shift_right(static_cast<value>(a ^ b), suffix) != 0;
    }

    template <class Watch>
    bool matches(walk<A>& w, const Watch& watch) const noexcept {
        const auto& leaf = all_.leaves[w.at.offset];
        const bool fits = !differs(w.address, leaf.key, leaf.suffix);
        watch.leaf(w.at.offset, fits);
        if (fits) {
            w.best = leaf.hop;
            return true;
        }
        if (leaf.next == nil || differs(w.address, leaf.key, w.at.suffix))
            return false;
        for (std::uint32_t i = leaf.next; i != nil; i = all_.aliases[i].next) {
            const auto& alias = all_.aliases[i];
            const bool alias_fits = !differs(w.address, leaf.key, alias.suffix);
            watch.alias(w.at.offset, i, alias_fits);
            if (alias_fits) {
                w.best = alias.hop;
                return true;
            }
        }
        return false;
    }

    template <class Watch>
    bool go_down(walk<A>& w, const Watch& watch) const noexcept {
        const slot here = w.at;
        if (w.only_shorter)
            return go_to_zeros(w, watch);
        std::uint32_t i = likely_index(here, w.address);
        if (here.to != way::follows) {
            const value index =
                static_cast<value>(static_cast<value>(w.address ^ all_.head_of(here.offset).key) >> here.pos);
            if ((index >> here.bits) != 0) {
                w.only_shorter = true;
                return go_to_zeros(w, watch);
            }
            watch.key(here.offset, here, true);
        }
        if (here.suffix > here.pos) {
            w.turn = here.offset;
            w.turn_index = i;
        }
        w.at = all_.child(here.offset, i);
        watch.slot_at(here.offset, i, w.at, w.at.there());
        prefetch(w);
        return w.at.there();
    }
    // Goes to slot 0, if a route below may be short enough to match.
    template <class Watch>
    bool go_to_zeros(walk<A>& w, const Watch& watch) const noexcept {
        const slot here = w.at;
        const value differing = static_cast<value>(w.address ^ all_.head_of(here.offset).key);
        const bool may_match = here.suffix > here.pos && shift_right(differing, here.suffix) == 0;
        watch.key(here.offset, here, may_match);
        if (!may_match)
            return false;
        w.at = all_.child(here.offset, 0);
        const bool goes_on = w.at.there() && shift_right(differing, w.at.suffix) == 0;
        watch.slot_at(here.offset, 0, w.at, goes_on);
        if (goes_on)
            prefetch(w);
        return goes_on;
    }

    template <class Watch>
    bool turn_back(walk<A>& w, const Watch& watch) const noexcept {
        while (w.turn != nil) {
            const head h = all_.head_of(w.turn);
            while (w.turn_index != 0) {
                // The bit that is cleared now is the first one in which the address differs from what is
                // tried.
                const unsigned parting = h.pos + static_cast<unsigned>(std::countr_zero(w.turn_index));
                if (h.suffix <= parting)
                    break;
                w.turn_index &= w.turn_index - 1;
                w.at = all_.child(w.turn, w.turn_index);
                const bool goes_on = w.at.there() && w.at.suffix > parting;
                watch.slot_at(w.turn, w.turn_index, w.at, goes_on);
                if (goes_on) {
                    w.only_shorter = true;
                    prefetch(w);
                    return true;
                }
            }
            w.turn = h.parent;
            if (w.turn != nil)
                w.turn_index = all_.head_of(w.turn).index_of(w.address);
        }
        return false;
    }

    // Right if the bits that the node skips do not differ.
    static std::uint32_t likely_index(const slot& s, value a) noexcept {
        return static_cast<std::uint32_t>(a >> s.pos) & ((std::uint32_t{1} << s.bits) - 1);
    }
    // Prefetches what the next step reads: for a tnode its key, unless it skips no bits, and a slot.
    void prefetch(const walk<A>& w) const noexcept {
        const slot& s = w.at;
        if (!s.there())
            return;
        if (s.is_leaf()) {
            __builtin_prefetch(&all_.leaves[s.offset]);
            return;
        }
        if (w.only_shorter || s.to != way::follows)
            __builtin_prefetch(all_.tnodes.at(s.offset));
        __builtin_prefetch(all_.slot_at(s.offset, w.only_shorter ? 0 : likely_index(s, w.address)));
    }

    const nodes<A>& all_;
};

} // namespace fingerpost::lpc_trie
