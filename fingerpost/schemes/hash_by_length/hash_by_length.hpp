// One hash table for each prefix length in use, and a structure that tells which lengths exist around an
// address.
//
// A table answers an exact match: does a route of this length cover the address? VPP's IPv6 FIB asks this for
// every length in use, from the longest down, and most of these probes miss. Here a lookup first reads which
// lengths have routes around the address, and probes only those.
//
//      around    address -> { /48, /32, /20 }      see lengths.hpp
//      tables    /48 -> [ key | hop ][ - ][ key | hop ] ...      two slots a route
//                /32 -> ...
//
// Lookup: IPv4 reads a word of 2^16 and one of a page, then one slot: lengths up to /24 are exact, so only
// longer lengths may miss. IPv6 reads a word of 2^16 and a hashed cell of 32 bits, then 1.4 slots on average
// if the traffic follows the routes. The first hit is the longest match. /0 has no table.
// Memory: 48 bytes a route for 128 bits, 16 for 32 bits, and the sets of lengths.
// Update: O(1) in the tables. In the sets of lengths, an IPv4 route of up to /24 writes the cells or blocks
// that it covers, at most 2^16 words, and a withdrawal of a longer one looks for up to 255 siblings. Not
// while it is read: routes move between slots.
// Limits: none; all widths, all next hop ids. Each FIB draws a hash key, so an attacker who chooses the
// routes cannot choose which of them collide (base/keyed_hash.hpp).
// Batch: blocks of 16 addresses. The sets of lengths are prefetched and read. Then in each round every
// address without an answer probes its next length, after all slots of the round were prefetched.
//
// Source: VPP src/vnet/ip/ip6_fib.c (Apache-2.0; nothing copied), which keeps all lengths in one table with
// the length in the key and probes all lengths in use. Waldvogel et al. (SIGCOMM 1997) use a binary search
// over the lengths instead: see docs/schemes.
//
// Tested by: the suites over the registry, and tests/schemes/hash_by_length.
// Read in this order: hash_by_length.hpp, lengths.hpp, near_lengths.hpp, open_table.hpp,
// entries.{hpp,cpp}.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/lengths/hashed_nodes.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/hash_by_length/lengths.hpp"
#include "fingerpost/schemes/hash_by_length/open_table.hpp"

namespace fingerpost::hash_by_length {

template <class A>
class fib {
    using value = typename A::value_type;
    using length_set = typename lengths_around<A>::set;
    using route_table = open_table<value, next_hop, next_hop::none>;

  public:
    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        fib built;
        built.secret_ = options.hash_seed ? hash_key(*options.hash_seed) : hash_key::random();
        std::array<std::size_t, A::bits + 1> count{};
        for (const route<A>& r : table.sorted())
            ++count[r.where.length];
        for (unsigned length = 1; length <= A::bits; ++length)
            if (const errc failure = built.tables_[length].reset(count[length]); failure != errc::ok)
                return unexpected{failure};
        if (const errc failure = built.lengths_.prepare(table.sorted()); failure != errc::ok)
            return unexpected{failure};
        for (const route<A>& r : table.sorted())
            if (const errc failure = built.announce(r.where, r.hop); failure != errc::ok)
                return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept {
        length_set left = lengths_.around(secret_, a);
        while (left != 0) {
            const next_hop found = tables_[longest_of(left)].find(secret_, key_of(a, longest_of(left)));
            if (found != next_hop::none)
                return found;
            left &= ~only<length_set>(longest_of(left));
        }
        return whole_;
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t at = 0; at < in.size(); at += block) {
            const std::size_t count = std::min(block, in.size() - at);
            lookup_block(in.data() + at, out.data() + at, count);
        }
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(memory_parts()); }

    errc apply(const change<A>& c) noexcept {
        if (c.after == next_hop::none) {
            withdraw(c.where);
            return errc::ok;
        }
        if (c.where.length > 0)
            if (next_hop* const here = tables_[c.where.length].change(secret_, c.where.base.value)) {
                *here = c.after;
                return errc::ok;
            }
        return announce(c.where, c.after);
    }

    next_hop trace(A a, step_visitor each) const {
        trace_step last = lengths_.trace(secret_, a, each);
        std::vector<std::uint64_t> keys;
        length_set left = lengths_.around(secret_, a);
        next_hop found = next_hop::none;
        for (; left != 0 && found == next_hop::none; left &= ~only<length_set>(longest_of(left))) {
            each(last);
            last = probe(a, longest_of(left), keys, each, found);
        }
        if (found == next_hop::none)
            found = whole_;
        last.result = found == next_hop::none ? outcome::missed : outcome::answered;
        each(last);
        return found;
    }
    std::vector<memory_part> memory_parts() const {
        std::size_t slots = 0;
        for (const route_table& t : tables_)
            slots += t.memory_bytes();
        std::vector<memory_part> all{{"tables", slots}, {"object", sizeof *this}};
        for (const memory_part& part : lengths_.parts())
            all.push_back(part);
        return all;
    }
    // Visits the sets of lengths, then the table of each length in use with its routes below it, and the
    // route of length 0. A search for any address may read any slot, so a table covers all addresses.
    void visit(node_visitor<A> each) const {
        lengths_.visit(each);
        for (unsigned length = A::bits; length > 0; --length) {
            const route_table& table = tables_[length];
            if (table.size() == 0)
                continue;
            const std::uint64_t before = bytes_before(length);
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "length",
                  .part = "tables",
                  .bytes = table.slots().size() * sizeof table.slots()[0],
                  .children = table.size(),
                  .offset = before,
                  .bits = length,
                  .contents = [&](node_contents& to) {
                      to.numbers.push_back({"length", length});
                      to.numbers.push_back({"slots", table.slots().size()});
                  }});
            visit_routes(table, length, before, each);
        }
        if (whole_ != next_hop::none)
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "route",
                  .part = "object",
                  .bytes = sizeof whole_,
                  .contents = [&](node_contents& to) { add_answer(to, 0, whole_); }});
    }

    // The number of slots that the longest search for a missing key reads in one table; walks all tables.
    std::size_t longest_search() const noexcept {
        std::size_t longest = lengths_.longest_search();
        for (const route_table& t : tables_)
            longest = std::max(longest, t.longest_search());
        return longest;
    }

  private:
    // About as many cache misses as a core can overlap.
    static constexpr std::size_t block = 16;

    // Where the table of a length begins in the part that all tables make up.
    std::uint64_t bytes_before(unsigned length) const noexcept {
        std::uint64_t before = 0;
        for (unsigned longer = A::bits; longer > length; --longer)
            before += tables_[longer].memory_bytes();
        return before;
    }
    // The routes have no bytes besides those of their table.
    void visit_routes(const route_table& table, unsigned length, std::uint64_t before,
                      node_visitor<A> each) const {
        for (std::size_t i = 0; i < table.slots().size(); ++i) {
            const auto& s = table.slots()[i];
            if (s.is_free())
                continue;
            const auto where = prefix<A>::make(A{s.whole_key()}, length);
            const auto show = [&](node_contents& to) {
                show_key(where, to);
                add_answer(to, 0, s.value);
            };
            auto shown = hashed_entry(where, "route", "tables", before + i * sizeof s);
            shown.level = 1;
            shown.slot = i;
            shown.contents = show;
            each(shown);
        }
    }
    static value key_of(A a, unsigned length) noexcept {
        return static_cast<value>(a.value & network_mask<A>(length));
    }

    // Adds a new prefix.
    errc announce(const prefix<A>& where, next_hop hop) noexcept {
        if (where.length == 0) {
            whole_ = hop;
            return errc::ok;
        }
        const errc failure = tables_[where.length].add(secret_, where.base.value, hop);
        return failure == errc::ok ? lengths_.add(secret_, where) : failure;
    }
    void withdraw(const prefix<A>& where) noexcept {
        if (where.length == 0)
            whole_ = next_hop::none;
        else if (tables_[where.length].remove(secret_, where.base.value))
            lengths_.remove(secret_, where, [this](const prefix<A>& p) {
                return tables_[p.length].find(secret_, p.base.value) != next_hop::none;
            });
    }

    // Reports the reads of a probe. A probe that continues at the beginning of its table has two; each() gets
    // the first.
    trace_step probe(A a, unsigned length, std::vector<std::uint64_t>& keys, step_visitor each,
                     next_hop& found) const {
        const std::uint64_t before = bytes_before(length);
        const route_table& table = tables_[length];
        const auto& slots = table.slots();
        const value key = key_of(a, length);
        const std::size_t home = table.bucket(secret_, key);
        const auto& end = table.search(key, home);
        const auto last = static_cast<std::size_t>(&end - slots.data());
        const auto read = [&](std::size_t from, std::size_t to) {
            keys.clear();
            for (std::size_t i = from; i < to; ++i)
                keys.push_back(number_in_step(A{slots[i].whole_key()}));
            return trace_step{.part = "tables",
                              .at = &slots[from],
                              .offset = before + from * sizeof slots[0],
                              .bytes = to_u32((to - from) * sizeof slots[0], "bytes of a search"),
                              .bits = length,
                              .with = compared::keys,
                              .key = number_in_step(A{key}),
                              .values = keys,
                              .result = outcome::missed};
        };
        if (last < home) {
            trace_step first = read(home, slots.size());
            first.result = outcome::goes_on;
            each(first);
        }
        found = end.value;
        return read(last < home ? 0 : home, last + 1);
    }

    void lookup_block(const A* in, next_hop* out, std::size_t count) const noexcept {
        struct lane {
            length_set left;   // still to be probed
            std::size_t which; // index of the address
            std::size_t bucket;
        };
        std::array<lane, block> open;
        for (std::size_t i = 0; i < count; ++i)
            lengths_.prefetch_first(secret_, in[i]);
        for (std::size_t i = 0; i < count; ++i)
            lengths_.prefetch_second(in[i]);
        std::size_t lanes = 0;
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = whole_;
            open[lanes].left = lengths_.around(secret_, in[i]);
            open[lanes].which = i;
            lanes += open[lanes].left != 0 ? 1 : 0;
        }
        while (lanes > 0) {
            for (std::size_t i = 0; i < lanes; ++i) {
                const unsigned length = longest_of(open[i].left);
                const route_table& table = tables_[length];
                open[i].bucket = table.bucket(secret_, key_of(in[open[i].which], length));
                table.prefetch(open[i].bucket);
            }
            std::size_t kept = 0;
            for (std::size_t i = 0; i < lanes; ++i) {
                const lane here = open[i];
                const unsigned length = longest_of(here.left);
                const next_hop found =
                    tables_[length].search(key_of(in[here.which], length), here.bucket).value;
                if (found != next_hop::none)
                    out[here.which] = found;
                open[kept] = here;
                open[kept].left &= ~only<length_set>(length);
                kept += found == next_hop::none && open[kept].left != 0 ? 1 : 0;
            }
            lanes = kept;
        }
    }

    std::array<route_table, A::bits + 1> tables_; // by length; the one of length 0 has no slots
    next_hop whole_ = next_hop::none;             // the next hop of /0
    lengths_around<A> lengths_;
    hash_key secret_;
};

} // namespace fingerpost::hash_by_length
