// One hash table for routes of all lengths, as in VPP. The length is a part of the key, and each length in
// use takes a probe.
//
//     lengths   /64, /48, /44, /40, ...      the lengths in use, the longest first
//     table     buckets of pages of four entries (table.hpp)
//
// The first length whose masked address is in the table is the longest match.
//
// Lookup: a probe for each length in use, from the longest down to the answer's length. A probe loads a
// bucket and then a page, altogether three cache lines for IPv6 and two for IPv4. tier1-v6 has 46 lengths, 15
// of them longer than /48. Memory: 8 bytes a bucket and 128 bytes a page, 64 for IPv4; between one and two
// routes a bucket. Update: writes one entry. The bucket of a full page grows. The table is rebuilt when it
// has more than 2.2 routes a bucket or at most 1, so a change is O(1) on average. Limits: 64 pages a bucket,
// and 2^27 routes; all widths and next hop ids. Batch: blocks of 16 addresses. For each length, all buckets
// are prefetched, then all pages, then all entries are compared. Addresses with an answer leave the block.
//
// Source: VPP src/vppinfra/bihash_template.* and src/vnet/ip/ip6_fib.c (Apache-2.0; nothing copied).
//
// Tested by: the registry's suites and tests/schemes/bihash_by_length. Reading order: bihash_by_length.hpp,
// table.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/lengths/hashed_nodes.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/bihash_by_length/table.hpp"

namespace fingerpost::bihash_by_length {

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using value = typename A::value_type;
    using table_type = bihash<A>;
    using entry = typename table_type::entry;
    using page = typename table_type::page;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        table_type::for_each_array(of.table_, visit);
        visit("lengths", of.lengths_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        for (const unsigned length : lengths_)
            if (const next_hop hop = table_.find(read, a.value & network_mask<A>(length), length);
                hop != next_hop::none)
                return hop;
        return next_hop::none;
    }

    // Number of keys that a build tries if some bucket would be too large.
    static constexpr unsigned attempts = 4;

    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        for (unsigned attempt = 1;; ++attempt) {
            fib built;
            const errc failure =
                built.fill(table, options.hash_seed ? hash_key(*options.hash_seed) : hash_key::random());
            if (failure == errc::ok)
                return built;
            if (failure != errc::capacity || options.hash_seed || attempt == attempts)
                return unexpected{failure};
        }
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t at = 0; at < in.size(); at += block)
            look_up_block(in.data() + at, out.data() + at, std::min(block, in.size() - at));
    }
    // A FIB whose change fails must be discarded.
    errc apply(const change<A>& c) {
        const std::size_t before = table_.size();
        if (c.after == next_hop::none)
            table_.remove(c.where);
        else if (const errc failure = table_.set(c.where, c.after); failure != errc::ok)
            return failure;
        if (table_.size() > before && count_[c.where.length]++ == 0)
            list_lengths();
        else if (table_.size() < before && --count_[c.where.length] == 0)
            list_lengths();
        return table_.ill_sized() ? make_anew() : errc::ok;
    }

    // The roots are the lengths in use, each with its routes as children, and the buckets with their pages,
    // which a search for any address may read.
    void visit(node_visitor<A> each) const {
        std::vector<shown_route> shown_routes;
        table_.for_each([&](const entry& e) {
            const std::uint32_t h = table_.hash(e.key, e.length);
            const page* const first = table_.pages_of(*table_.bucket_of(h), h).first;
            shown_routes.push_back({prefix<A>::make(A{e.key}, e.length), e.hop,
                                    static_cast<std::uint64_t>(first - table_.pages()) * sizeof(page)});
        });
        std::sort(shown_routes.begin(), shown_routes.end(), [](const shown_route& a, const shown_route& b) {
            return a.where.length != b.where.length ? a.where.length > b.where.length : a.where < b.where;
        });
        std::size_t done = 0;
        for (std::size_t i = 0; i < lengths_.size(); ++i) {
            const unsigned length = lengths_[i];
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "length",
                  .part = "lengths",
                  .bytes = 1,
                  .children = count_[length],
                  .offset = i,
                  .bits = length,
                  .contents = [&](node_contents& to) {
                      to.numbers.push_back({"length", length});
                  }});
            for (std::size_t k = 0; k < count_[length]; ++k)
                visit_route(shown_routes[done++], k, each);
        }
        const auto show = [&](std::string_view part, std::uint64_t bytes) {
            each({.first = A::first(), .last = A::last(), .kind = part, .part = part, .bytes = bytes});
        };
        show("buckets", table_.bucket_bytes());
        show("pages", table_.page_bytes());
    }

    void check(const layout_check& in) {
        for (std::size_t i = 0; i < lengths_.size(); ++i)
            in.require(lengths_[i] <= A::bits && (i == 0 || lengths_[i] < lengths_[i - 1]), &lengths_[i],
                       "lengths are not in descending order");
        table_.check(in);
        table_.for_each([this](const entry& e) { ++count_[e.length]; });
    }

    // Number of buckets in which a search reads all pages.
    std::size_t linear_buckets() const noexcept { return table_.linear_buckets(); }

  private:
    // About the number of cache misses that a core can overlap.
    static constexpr std::size_t block = 16;

    struct shown_route {
        prefix<A> where;
        next_hop hop;
        std::uint64_t offset; // offset of the pages to search
    };
    static void visit_route(const shown_route& item, std::uint64_t slot, node_visitor<A> each) {
        const auto show = [&](node_contents& to) {
            show_key(item.where, to);
            add_answer(to, 0, item.hop);
        };
        auto shown = hashed_entry(item.where, "route", "pages", item.offset);
        shown.level = 1;
        shown.slot = slot;
        shown.contents = show;
        each(shown);
    }
    errc fill(const routes<A>& table, const hash_key& key) {
        auto new_table = table_type::make(key, table.size());
        if (!new_table)
            return new_table.error();
        table_ = std::move(*new_table);
        for (const route<A>& r : table.sorted()) {
            if (const errc failure = table_.set(r.where, r.hop); failure != errc::ok)
                return failure;
            ++count_[r.where.length];
        }
        table_.trim();
        list_lengths();
        return errc::ok;
    }
    errc make_anew() {
        auto new_table = table_type::make(table_.key(), table_.size());
        if (!new_table)
            return new_table.error();
        errc failure = errc::ok;
        table_.for_each([&](const entry& e) {
            if (failure == errc::ok)
                failure = new_table->set(prefix<A>::make(A{e.key}, e.length), e.hop);
        });
        if (failure != errc::ok)
            return failure;
        new_table->trim();
        table_ = std::move(*new_table);
        return errc::ok;
    }
    void list_lengths() {
        lengths_.clear();
        for (unsigned length = A::bits + 1; length-- > 0;)
            if (count_[length] != 0)
                lengths_.push_back(static_cast<std::uint8_t>(length));
        lengths_.shrink_to_fit();
    }
    void look_up_block(const A* in, next_hop* out, std::size_t count) const noexcept {
        std::array<std::size_t, block> open; // addresses without an answer so far
        std::array<std::uint32_t, block> hashes;
        std::array<typename table_type::run, block> runs;
        for (std::size_t i = 0; i < count; ++i) {
            open[i] = i;
            out[i] = next_hop::none;
        }
        for (const unsigned length : lengths_) {
            const value mask = network_mask<A>(length);
            for (std::size_t i = 0; i < count; ++i) {
                hashes[i] = table_.hash(in[open[i]].value & mask, length);
                __builtin_prefetch(table_.bucket_of(hashes[i]));
            }
            for (std::size_t i = 0; i < count; ++i) {
                runs[i] = table_.pages_of(*table_.bucket_of(hashes[i]), hashes[i]);
                for (std::size_t byte = 0; byte < sizeof(page); byte += cache_line_bytes)
                    __builtin_prefetch(reinterpret_cast<const std::byte*>(runs[i].first) + byte);
            }
            std::size_t left = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t which = open[i];
                out[which] = table_type::find_in(runs[i], in[which].value & mask, length);
                open[left] = which;
                left += out[which] == next_hop::none ? 1 : 0;
            }
            count = left;
            if (count == 0)
                return;
        }
    }

    table_type table_;
    std::array<std::size_t, A::bits + 1> count_{}; // number of routes of each length
    std::vector<std::uint8_t> lengths_;            // lengths in use, the longest first
};

} // namespace fingerpost::bihash_by_length
