// One hash table for each prefix length in use, probed from the longest to the shortest.
//
// The first hit is the longest match, so nothing but exact match is needed: what VPP does for IPv6.
//
//      levels    /64 -> table    /48 -> table    /32 -> table    /29 -> table ...     longest first
//      table     [ key | hop ][ key | hop ][ - ][ key | hop ][ - ] ...                two slots a route
//
// A slot holds the masked address and the next hop; `none` marks an empty slot. Collisions go on to the
// next slot, mostly in the same cache line. Tables are half full: most probes are misses, and a miss ends
// at the first empty slot, after 2.5 slots on average. The slot comes from the hash by multiplication, so
// sizes need not be powers of two and a table is never less than half full.
//
// Lookup: one load of a random cache line for each length in use from the longest down to the answer's; the
// loads depend on each other only by the branch that ends the search. Real IPv6 tables use 46 lengths, 15
// of them longer than /48; a route of /64 and above for a single host costs every other lookup a probe.
// Memory: 48 bytes a route for 128 bits, 16 for 32 bits.
// Update: O(1), the slots after a route that leaves move up; a table that is 6 % fuller or 5 % emptier than
// half is made anew, O(its routes). Not while it is read: routes move between slots.
// Limits: none; all widths, all next hop ids. The hash has a key that each FIB draws, so whoever chooses the
// routes cannot choose what collides (base/keyed_hash.hpp).
// Batch: blocks of 16 addresses. For each length all slots are computed and prefetched, then all are
// compared, and the addresses that found their answer leave the block.
//
// Source: VPP src/vnet/ip/ip6_fib.c (Apache-2.0; nothing copied), which keeps all lengths in one table with
// the length in the key. Waldvogel et al. (SIGCOMM 1997) replace the linear by a binary search: see
// docs/schemes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost::hash_by_length {

template <class A>
class fib {
    using value = typename A::value_type;
    // 128-bit keys as two words: the slot then takes 24 bytes instead of 32.
    using word = std::conditional_t<(A::bits > 64), std::uint64_t, value>;
    static constexpr std::size_t words = sizeof(value) / sizeof(word);

    struct slot {
        std::array<word, words> key{};
        next_hop hop{0};

        bool holds(value v) const noexcept { return key == cut(v); }
        static std::array<word, words> cut(value v) noexcept {
            return std::bit_cast<std::array<word, words>>(v);
        }
    };
    static_assert(sizeof(slot) == (A::bits <= 32 ? 8 : A::bits <= 64 ? 16 : 24));

    struct level {
        unsigned length = 0;
        value mask = 0;
        std::size_t routes = 0;
        aligned_array<slot> slots;

        std::size_t bucket(const hash_key& secret, value key) const noexcept {
            return hash_key::bucket(secret.hash(key), slots.size());
        }
        // The slot that ends a search from `at` on: that of this key, or an empty one, which is always there.
        const slot& search(value key, std::size_t at) const noexcept {
            for (;; at = at + 1 == slots.size() ? 0 : at + 1) {
                const slot& s = slots[at];
                if (s.hop == next_hop::none || s.holds(key))
                    return s;
            }
        }
        // The next hop of this key, none when it is not there.
        next_hop find(value key, std::size_t at) const noexcept { return search(key, at).hop; }
        std::size_t after(std::size_t at) const noexcept { return at + 1 == slots.size() ? 0 : at + 1; }
        void add(const hash_key& secret, value key, next_hop hop) noexcept {
            std::size_t at = bucket(secret, key);
            while (slots[at].hop != next_hop::none)
                at = after(at);
            slots[at] = {slot::cut(key), hop};
        }
        // The slot of this key, or the empty one where it would go.
        slot& slot_of(const hash_key& secret, value key) noexcept {
            std::size_t at = bucket(secret, key);
            while (slots[at].hop != next_hop::none && !slots[at].holds(key))
                at = after(at);
            return slots[at];
        }
        // Moves up what was pushed on by the slot that becomes empty, so that no search ends before it.
        void remove(const hash_key& secret, slot& gone) noexcept {
            std::size_t hole = static_cast<std::size_t>(&gone - slots.data());
            for (std::size_t at = after(hole); slots[at].hop != next_hop::none; at = after(at)) {
                const std::size_t home = bucket(secret, std::bit_cast<value>(slots[at].key));
                const bool reaches = hole <= at ? home <= hole || home > at : home <= hole && home > at;
                if (reaches) {
                    slots[hole] = slots[at];
                    hole = at;
                }
            }
            slots[hole].hop = next_hop::none;
        }
        bool ill_sized(std::size_t wanted) const noexcept {
            return slots.size() * 53 < wanted * 100 || slots.size() * 10 > wanted * 21 + 20;
        }
        errc resize(const hash_key& secret, std::size_t wanted) noexcept {
            auto larger = fib::make_slots(wanted);
            if (!larger)
                return larger.error();
            std::swap(slots, *larger);
            for (const slot& s : *larger)
                if (s.hop != next_hop::none)
                    add(secret, std::bit_cast<value>(s.key), s.hop);
            return errc::ok;
        }
    };

  public:
    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        std::array<std::size_t, A::bits + 1> count{};
        for (const route<A>& r : table.sorted())
            ++count[r.where.length];
        fib built;
        built.secret_ = options.hash_seed ? hash_key(*options.hash_seed) : hash_key::random();
        std::array<std::size_t, A::bits + 1> level_of{};
        for (unsigned length = A::bits + 1; length-- > 0;) {
            if (count[length] == 0)
                continue;
            level_of[length] = built.levels_.size();
            const errc failure = built.add_level(built.levels_.end(), length, count[length]);
            if (failure != errc::ok)
                return unexpected{failure};
        }
        for (const route<A>& r : table.sorted())
            built.levels_[level_of[r.where.length]].add(built.secret_, r.where.base.value, r.hop);
        return built;
    }

    next_hop lookup(A a) const noexcept {
        for (const level& l : levels_) {
            const value key = a.value & l.mask;
            const next_hop found = l.find(key, l.bucket(secret_, key));
            if (found != next_hop::none)
                return found;
        }
        return next_hop::none;
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t at = 0; at < in.size(); at += block) {
            const std::size_t count = std::min(block, in.size() - at);
            lookup_block(in.data() + at, out.data() + at, count);
        }
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    errc apply(const change<A>& c) noexcept {
        const auto at = std::lower_bound(levels_.begin(), levels_.end(), c.where.length,
                                         [](const level& l, unsigned length) { return l.length > length; });
        const bool known = at != levels_.end() && at->length == c.where.length;
        if (c.after == next_hop::none)
            return known ? withdraw(at, c.where.base.value) : errc::ok;
        if (!known)
            return add_level(at, c);
        slot& here = at->slot_of(secret_, c.where.base.value);
        if (here.hop != next_hop::none) {
            here.hop = c.after;
            return errc::ok;
        }
        if (at->ill_sized(at->routes + 1))
            if (const errc failure = at->resize(secret_, at->routes + 1); failure != errc::ok)
                return failure;
        at->add(secret_, c.where.base.value, c.after);
        ++at->routes;
        return errc::ok;
    }

    next_hop trace(A a, step_visitor each) const {
        std::uint64_t table = 0; // where the table begins in the part that all are
        std::vector<std::uint64_t> keys;
        for (const level& l : levels_) {
            const value key = a.value & l.mask;
            const std::size_t home = l.bucket(secret_, key);
            const slot& end = l.search(key, home);
            const auto last = static_cast<std::size_t>(&end - l.slots.data());
            const auto read = [&](std::size_t from, std::size_t to, outcome result, std::uint64_t found) {
                keys.clear();
                for (std::size_t i = from; i < to; ++i)
                    keys.push_back(number_in_step(A{std::bit_cast<value>(l.slots[i].key)}));
                each({.part = "tables",
                      .at = &l.slots[from],
                      .offset = table + from * sizeof(slot),
                      .bytes = to_u32((to - from) * sizeof(slot), "bytes of a search"),
                      .bits = l.length,
                      .with = compared::keys,
                      .key = number_in_step(A{key}),
                      .values = keys,
                      .result = result,
                      .found = found});
            };
            // A search that runs past the end goes on at the beginning.
            if (last < home)
                read(home, l.slots.size(), outcome::goes_on, 0);
            const bool here = end.hop != next_hop::none;
            read(last < home ? 0 : home, last + 1, here ? outcome::answered : outcome::missed,
                 here ? end.hop.id : last);
            if (here)
                return end.hop;
            table += l.slots.memory_bytes();
        }
        return next_hop::none;
    }
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    // The lengths in use are the roots, the routes of each below it.
    void visit(node_visitor<A> each) const {
        for (const level& l : levels_) {
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "length",
                  .part = "levels",
                  .bytes = sizeof l,
                  .children = l.routes});
            for (const slot& s : l.slots.span()) {
                if (s.hop == next_hop::none)
                    continue;
                const auto where = prefix<A>::make(A{std::bit_cast<value>(s.key)}, l.length);
                each({.first = where.first(),
                      .last = where.last(),
                      .level = 1,
                      .kind = "route",
                      .part = "tables",
                      .bytes = sizeof s});
            }
        }
    }

    // Slots that the longest search in one table looks at, of what is not there; walks all of them.
    std::size_t longest_search() const noexcept {
        std::size_t longest = 0;
        for (const level& l : levels_) {
            std::size_t run = 0;
            for (std::size_t i = 0; i < 2 * l.slots.size(); ++i) {
                run = l.slots[i % l.slots.size()].hop == next_hop::none ? 0 : run + 1;
                longest = std::max(longest, run);
            }
        }
        return longest + 1;
    }

  private:
    using level_place = typename std::vector<level>::iterator;

    std::array<memory_part, 3> parts() const noexcept {
        std::size_t slots = 0;
        for (const level& l : levels_)
            slots += l.slots.memory_bytes();
        return {
            {{"levels", levels_.capacity() * sizeof(level)}, {"tables", slots}, {"object", sizeof *this}}};
    }

    // About as many misses as a core can have under way.
    static constexpr std::size_t block = 16;

    static expected<aligned_array<slot>> make_slots(std::size_t routes) noexcept {
        auto slots = aligned_array<slot>::make(routes * 2);
        if (slots)
            for (slot& s : *slots)
                s.hop = next_hop::none;
        return slots;
    }
    errc add_level(level_place at, unsigned length, std::size_t routes) noexcept try {
        auto slots = make_slots(routes);
        if (!slots)
            return slots.error();
        levels_.insert(at, {length, network_mask<A>(length), routes, std::move(*slots)});
        return errc::ok;
    } catch (...) {
        return reason_of_exception();
    }
    errc add_level(level_place at, const change<A>& c) noexcept {
        const auto position = at - levels_.begin();
        if (const errc failure = add_level(at, c.where.length, 1); failure != errc::ok)
            return failure;
        levels_[static_cast<std::size_t>(position)].add(secret_, c.where.base.value, c.after);
        return errc::ok;
    }
    errc withdraw(level_place at, value key) noexcept {
        slot& gone = at->slot_of(secret_, key);
        if (gone.hop == next_hop::none)
            return errc::ok;
        at->remove(secret_, gone);
        if (--at->routes == 0)
            levels_.erase(at);
        else if (at->ill_sized(at->routes))
            (void)at->resize(secret_, at->routes); // too large a table is no reason to refuse
        return errc::ok;
    }

    void lookup_block(const A* in, next_hop* out, std::size_t count) const noexcept {
        std::array<std::size_t, block> open; // the addresses still without an answer
        std::array<std::size_t, block> bucket;
        for (std::size_t i = 0; i < count; ++i) {
            open[i] = i;
            out[i] = next_hop::none;
        }
        for (const level& l : levels_) {
            for (std::size_t i = 0; i < count; ++i) {
                bucket[i] = l.bucket(secret_, in[open[i]].value & l.mask);
                __builtin_prefetch(&l.slots[bucket[i]]);
            }
            std::size_t left = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t which = open[i];
                out[which] = l.find(in[which].value & l.mask, bucket[i]);
                open[left] = which;
                left += out[which] == next_hop::none ? 1 : 0;
            }
            count = left;
            if (count == 0)
                return;
        }
    }

    std::vector<level> levels_;
    hash_key secret_;
};

} // namespace fingerpost::hash_by_length
