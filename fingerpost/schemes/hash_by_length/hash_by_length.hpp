// One hash table for each prefix length in use, and an index of the lengths that occur near an address.
//
// A probe is an exact match: it finds the route of one length that covers the address. VPP's IPv6 FIB probes
// every length in use from the longest down, and most of these probes miss. Here a lookup first reads the set
// of lengths of the routes near the address, and probes only these lengths.
//
//      around    address -> { /48, /32, /20 }      see lengths.hpp
//      tables    /48 -> [ key | hop ][ - ][ key | hop ] ...      two slots a route
//                /32 -> ...
//
// Lookup: IPv4 reads one of 2^16 words, one word of a page and then one slot: sets are exact up to /24, so
// only probes of longer lengths may miss. IPv6 reads one of 2^16 words and a hashed cell of 32 bits, then 1.4
// slots on average if the traffic follows the routes. The first hit is the longest match. /0 has no table.
// Memory: 48 bytes a route for 128 bits, 16 for 32 bits, and the sets of lengths. Update: O(1) in the tables.
// In the sets of lengths, an IPv4 route of up to /24 writes all cells or blocks that it covers, at most 2^16
// words, and the withdrawal of a longer one looks for up to 255 siblings. Not safe with concurrent readers:
// routes move between slots. Limits: none; all widths and next hop ids. Each FIB draws a hash key, so an
// attacker who chooses the routes cannot choose which of them collide (base/keyed_hash.hpp). Batch: blocks of
// 16 addresses. The sets of lengths are prefetched and read. Then, in each round, the next slots of all
// addresses without an answer are prefetched and probed.
//
// Source: VPP src/vnet/ip/ip6_fib.c (Apache-2.0; nothing copied), which has one table with the length in the
// key and probes all lengths in use. Waldvogel et al. (SIGCOMM 1997) use binary search on lengths instead:
// see docs/schemes.
//
// Tested by: the registry's suites and tests/schemes/hash_by_length. Reading order: hash_by_length.hpp,
// lengths.hpp, near_lengths.hpp, open_table.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/lengths/hashed_nodes.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/hash_by_length/lengths.hpp"
#include "fingerpost/schemes/hash_by_length/open_table.hpp"

namespace fingerpost::hash_by_length {

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using value = typename A::value_type;
    using length_set = typename lengths_around<A>::set;
    using route_table = open_table<value, next_hop, next_hop::none>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("tables", of.tables_);
        visit("sizes", of.tables_.sizes);
        visit("next hop of /0", of.whole_);
        visit("key", of.secret_);
        lengths_around<A>::for_each_array(of.lengths_, visit);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        length_set left = lengths_.around(read, secret_, a);
        for (; left != 0; left &= ~only<length_set>(longest_of(left)))
            if (const next_hop hop = probe(read, a, longest_of(left)); hop != next_hop::none)
                return hop;
        read.tell([this](auto& step) {
            step.result = whole_ == next_hop::none ? outcome::missed : outcome::answered;
        });
        return whole_;
    }

    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        fib built;
        built.secret_ = options.hash_seed ? hash_key(*options.hash_seed) : hash_key::random();
        std::array<std::size_t, A::bits + 1> count{};
        for (const route<A>& r : table.sorted())
            ++count[r.where.length];
        for (unsigned length = 1; length <= A::bits; ++length)
            if (const errc failure =
                    built.tables_.edit(length, [&](route_table& t) { return t.reset(count[length]); });
                failure != errc::ok)
                return unexpected{failure};
        if (const errc failure = built.lengths_.prepare(table.sorted()); failure != errc::ok)
            return unexpected{failure};
        for (const route<A>& r : table.sorted())
            if (const errc failure = built.announce(r.where, r.hop); failure != errc::ok)
                return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t at = 0; at < in.size(); at += block) {
            const std::size_t count = std::min(block, in.size() - at);
            lookup_block(in.data() + at, out.data() + at, count);
        }
    }

    errc apply(const change<A>& c) noexcept {
        if (c.after == next_hop::none) {
            withdraw(c.where);
            return errc::ok;
        }
        if (c.where.length > 0)
            if (next_hop* const old_hop = tables_.edit(
                    c.where.length, [&](route_table& t) { return t.change(secret_, c.where.base.value); })) {
                *old_hop = c.after;
                return errc::ok;
            }
        return announce(c.where, c.after);
    }

    // Visits the sets of lengths, the table of each length in use with its routes as children, and the route
    // of length 0. A search for any address may read any slot, so a table covers all addresses.
    void visit(node_visitor<A> each) const {
        lengths_.visit(each);
        for (unsigned length = A::bits; length > 0; --length) {
            const route_table& table = tables_[length];
            if (table.size() == 0)
                continue;
            const std::uint64_t before = tables_.bytes_from(length + 1);
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

    void check(const layout_check& in) {
        tables_.check(in);
        length_set possible = 0;
        for (unsigned length = 1; length <= A::bits; ++length)
            possible |= tables_[length].slots().size() != 0 ? only<length_set>(length) : 0;
        lengths_.check(in, possible);
    }

    // Number of slots that the longest search for a missing key reads in one table. Scans all tables.
    std::size_t longest_search() const noexcept {
        std::size_t longest = lengths_.longest_search();
        for (unsigned length = 1; length <= A::bits; ++length)
            longest = std::max(longest, tables_[length].longest_search());
        return longest;
    }

  private:
    // About the number of cache misses that a core can overlap.
    static constexpr std::size_t block = 16;

    // The routes have no memory besides the slots of their table.
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

    // Adds a route with a new prefix.
    errc announce(const prefix<A>& where, next_hop hop) noexcept {
        if (where.length == 0) {
            whole_ = hop;
            return errc::ok;
        }
        const errc failure =
            tables_.edit(where.length, [&](route_table& t) { return t.add(secret_, where.base.value, hop); });
        return failure == errc::ok ? lengths_.add(secret_, where) : failure;
    }
    void withdraw(const prefix<A>& where) noexcept {
        if (where.length == 0)
            whole_ = next_hop::none;
        else if (tables_.edit(where.length,
                              [&](route_table& t) { return t.remove(secret_, where.base.value); }))
            lengths_.remove(secret_, where, [this](const prefix<A>& p) {
                return tables_[p.length].find(secret_, p.base.value) != next_hop::none;
            });
    }

    template <class Read>
    next_hop probe(Read& read, A a, unsigned length) const {
        const route_table& table = tables_[length];
        const auto* const slots = table.slots().data();
        const value key = key_of(a, length);
        const std::size_t home = table.bucket(secret_, key);
        const auto& end = table.search(key, home);
        const auto last = static_cast<std::size_t>(&end - slots);
        const auto read_run = [&](std::size_t from, std::size_t to) {
            read(slots, from, to - from);
            read.tell([&](auto& step) {
                step.looks_at(0, length);
                step.compares_keys(number_in_step(A{key}), {});
                for (std::size_t i = from; i < to; ++i)
                    step.held.push_back(number_in_step(A{slots[i].whole_key()}));
            });
        };
        if (last < home) // the search wraps around
            read_run(home, table.slots().size());
        read_run(last < home ? 0 : home, last + 1);
        if (end.is_free())
            read.tell([](auto& step) { step.misses(); });
        return end.value;
    }

    void lookup_block(const A* in, next_hop* out, std::size_t count) const noexcept {
        struct lane {
            length_set left;   // lengths still to be probed
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
            open[lanes].left = lengths_.around(plain_reads{}, secret_, in[i]);
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
            std::size_t lanes_left = 0;
            for (std::size_t i = 0; i < lanes; ++i) {
                const lane current = open[i];
                const unsigned length = longest_of(current.left);
                const next_hop hop =
                    tables_[length].search(key_of(in[current.which], length), current.bucket).value;
                if (hop != next_hop::none)
                    out[current.which] = hop;
                open[lanes_left] = current;
                open[lanes_left].left &= ~only<length_set>(length);
                lanes_left += hop == next_hop::none && open[lanes_left].left != 0 ? 1 : 0;
            }
            lanes = lanes_left;
        }
    }

    table_row<route_table, A::bits + 1> tables_; // one for each length; that of length 0 is empty
    next_hop whole_ = next_hop::none;            // the next hop of /0
    lengths_around<A> lengths_;
    hash_key secret_;
};

} // namespace fingerpost::hash_by_length
