// The steps of a lookup in the trie, one for each node.
//
// Down: address XOR key, shifted right by `pos`, is the index of the next slot. It is too large if skipped
// bits differ. A tnode whose field follows that of its parent skips no bits, and its key is not read. If a
// suffix below a tnode is longer than `pos`, the lookup records the tnode and the index as the place for
// backtracking.
//
// Back: shorter routes have bases with more zeros at the end. So the lowest set bit of the index is cleared
// to get the next slot, and below it only bases that continue with zeros can match: slot 0 of each tnode.
// When the index is 0, the search continues in the parent.
//
// A slot has the longest suffix of its subtrie, so a slot that cannot match is skipped without reading its
// node.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/schemes/lpc_trie/nodes.hpp"

namespace fingerpost::lpc_trie {

template <class A>
struct walk {
    using value = typename A::value_type;

    value address;
    slot at;                        // node to read next
    std::uint32_t turn = nil;       // tnode to go back to
    std::uint32_t turn_index = 0;   // index tried last in that tnode
    bool only_shorter = false;      // set after backtracking, when only zeros can match
    next_hop best = next_hop::none; // the answer, set at the end
};

template <class A>
class walker {
    using head = header<A>;
    using value = typename A::value_type;

  public:
    explicit walker(const nodes<A>& trie_nodes) noexcept : nodes_(trie_nodes) {}

    walk<A> start(A a) const noexcept {
        walk<A> w{.address = a.value, .at = nodes_.root};
        prefetch(w);
        return w;
    }
    // Returns false at the end.
    template <class Read = const plain_reads>
    bool step(walk<A>& w, Read&& read = {}) const {
        if (!w.at.there())
            return false; // the trie is empty
        if (w.at.is_leaf())
            return !matches(w, read) && turn_back(w, read);
        return go_down(w, read) || turn_back(w, read);
    }
    next_hop answer(const walk<A>& w) const noexcept { return w.best; }

    // For batches that look up addresses one by one: ask_for_slot() prefetches the root's slot of an address,
    // and ask_below(), called later, the node in that slot.
    void ask_for_slot(A a) const noexcept { prefetch({.address = a.value, .at = nodes_.root}); }
    void ask_below(A a) const noexcept {
        const slot& root = nodes_.root;
        if (root.there() && !root.is_leaf())
            prefetch({.address = a.value, .at = nodes_.child(root.offset, likely_index(root, a.value))});
    }

  private:
    static bool differs(value a, value b, unsigned suffix) noexcept {
        return shift_right(static_cast<value>(a ^ b), suffix) != 0;
    }

    template <class Read>
    value key_of(std::uint32_t tnode, Read& read) const {
        value key; // the first member; a tnode may start at any word
        static_assert(offsetof(head, key) == 0);
        const auto* const from = reinterpret_cast<const std::byte*>(nodes_.tnodes.at(tnode));
        std::memcpy(&key, read(from, 0, sizeof(head)), sizeof key);
        return key;
    }
    template <class Read>
    slot child(std::uint32_t tnode, std::uint32_t i, Read& read) const {
        return std::bit_cast<slot>(read(nodes_.slot_at(tnode, 0), i));
    }
    // Reports a comparison of a key with all address bits but the lowest `suffix`.
    template <class Read>
    static void tell_key(Read& read, const walk<A>& w, value key, unsigned suffix, bool goes_on) {
        read.tell([&](auto& step) {
            step.looks_at(0, A::bits - suffix);
            step.compares_keys(number_in_step(A{w.address}), {number_in_step(A{key})});
            if (!goes_on)
                step.misses();
        });
    }
    // Reports a read of a slot. `of` has the index field of the tnode.
    template <class Read, class Field>
    static void tell_slot(Read& read, const Field& of, bool goes_on) {
        read.tell([&](auto& step) {
            step.looks_at(A::bits - of.pos - of.bits, of.bits);
            if (!goes_on)
                step.misses();
        });
    }

    template <class Read>
    bool matches(walk<A>& w, Read& read) const {
        const auto& leaf = read(nodes_.leaves, w.at.offset);
        const bool fits = !differs(w.address, leaf.key, leaf.suffix);
        tell_key(read, w, leaf.key, leaf.suffix, fits);
        if (fits) {
            w.best = leaf.hop;
            return true;
        }
        if (leaf.next == nil || differs(w.address, leaf.key, w.at.suffix))
            return false;
        for (std::uint32_t i = leaf.next; i != nil; i = nodes_.aliases[i].next) {
            const auto& alias = read(nodes_.aliases, i);
            const bool alias_fits = !differs(w.address, leaf.key, alias.suffix);
            tell_key(read, w, leaf.key, alias.suffix, alias_fits);
            if (alias_fits) {
                w.best = alias.hop;
                return true;
            }
        }
        return false;
    }

    template <class Read>
    bool go_down(walk<A>& w, Read& read) const {
        const slot s = w.at;
        const std::uint32_t i = likely_index(s, w.address);
        if (w.only_shorter || s.to != way::follows) {
            const value key = key_of(s.offset, read);
            const value index = static_cast<value>(static_cast<value>(w.address ^ key) >> s.pos);
            if (w.only_shorter || (index >> s.bits) != 0) {
                w.only_shorter = true;
                return go_to_zeros(w, key, read);
            }
            tell_key(read, w, key, s.pos + s.bits, true);
        }
        if (s.suffix > s.pos) {
            w.turn = s.offset;
            w.turn_index = i;
        }
        w.at = child(s.offset, i, read);
        tell_slot(read, s, w.at.there());
        prefetch(w);
        return w.at.there();
    }
    // Descends to slot 0 if a route below may be short enough to match.
    template <class Read>
    bool go_to_zeros(walk<A>& w, value key, Read& read) const {
        const slot s = w.at;
        const value differing = static_cast<value>(w.address ^ key);
        const bool may_match = s.suffix > s.pos && shift_right(differing, s.suffix) == 0;
        tell_key(read, w, key, s.pos + s.bits, may_match);
        if (!may_match)
            return false;
        w.at = child(s.offset, 0, read);
        const bool goes_on = w.at.there() && shift_right(differing, w.at.suffix) == 0;
        tell_slot(read, s, goes_on);
        if (goes_on)
            prefetch(w);
        return goes_on;
    }

    template <class Read>
    bool turn_back(walk<A>& w, Read& read) const {
        while (w.turn != nil) {
            const head h = nodes_.head_of(w.turn);
            while (w.turn_index != 0) {
                // The bit cleared next is the first one in which the address differs from the addresses to be
                // tried.
                const unsigned parting = h.pos + static_cast<unsigned>(std::countr_zero(w.turn_index));
                if (h.suffix <= parting)
                    break;
                w.turn_index &= w.turn_index - 1;
                w.at = child(w.turn, w.turn_index, read);
                const bool goes_on = w.at.there() && w.at.suffix > parting;
                tell_slot(read, h, goes_on);
                if (goes_on) {
                    w.only_shorter = true;
                    prefetch(w);
                    return true;
                }
            }
            w.turn = h.parent;
            if (w.turn != nil)
                w.turn_index = nodes_.head_of(w.turn).index_of(w.address);
        }
        return false;
    }

    // The index, provided that the bits skipped by the node match.
    static std::uint32_t likely_index(const slot& s, value a) noexcept {
        return static_cast<std::uint32_t>(a >> s.pos) & ((std::uint32_t{1} << s.bits) - 1);
    }
    // Prefetches for the next step: a slot and, if a tnode skips bits, its key.
    void prefetch(const walk<A>& w) const noexcept {
        const slot& s = w.at;
        if (!s.there())
            return;
        if (s.is_leaf()) {
            __builtin_prefetch(&nodes_.leaves[s.offset]);
            return;
        }
        if (w.only_shorter || s.to != way::follows)
            __builtin_prefetch(nodes_.tnodes.at(s.offset));
        __builtin_prefetch(nodes_.slot_at(s.offset, w.only_shorter ? 0 : likely_index(s, w.address)));
    }

    const nodes<A>& nodes_;
};

} // namespace fingerpost::lpc_trie
