// A chunked table with entries that are as wide as its next hops need: the core of DIR-24-8 and of the trie
// of 24 and 8 bits.
//
// A code is the next hop id plus one, so that none, which is all ones, becomes 0 without a test. Entries have
// 16 bits, like DPDK's two-byte entries, if all ids are below 32,767 and there are at most 32,768 chunks.
// Otherwise they have 32 bits. If an id has its top bit set or is close to that, codes number the different
// next hops instead, and `values` maps codes to next hops. The form is chosen when the table is built. A
// rebuild is needed when a next hop id or a number of chunks does not fit in the entries, and when a table
// that had too many chunks for 16 bits has 1/16 fewer than 16 bits can number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/memory/chunked_table.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/rib/routes.hpp"

namespace fingerpost {

template <class A, unsigned First, unsigned Stride>
class direct_tables {
    using small_store = chunked_table<A, std::uint16_t, First, Stride>;
    using large_store = chunked_table<A, std::uint32_t, First, Stride>;

  public:
    // Codes and numbers of chunks are below this.
    static constexpr std::size_t most = large_store::most;

    // room_for(chunks) returns for how many more chunks to reserve room. Throws std::bad_alloc.
    template <class Room>
    static expected<direct_tables> make(const routes<A>& table, Room room_for, std::size_t most_codes) {
        const interval_list<A>& intervals = table.intervals();
        const std::size_t chunks = small_store::count_chunks(intervals);
        const std::size_t room = room_for(chunks);
        std::uint32_t highest = 0; // the highest code; none has code 0
        for (const next_hop hop : intervals.hops)
            highest = std::max(highest, code_of(hop));
        direct_tables built;
        errc failure = errc::ok;
        if (highest < small_store::most && chunks + room <= small_store::most)
            failure = keep(small_store::fill(intervals, chunks, room, code_of), built.small_);
        else if (highest < most_codes)
            failure = keep(large_store::fill(intervals, chunks, room, code_of), built.large_);
        else
            failure = built.fill_by_rank(intervals, chunks, room, most_codes);
        if (failure != errc::ok)
            return unexpected{failure};
        built.has_wide_codes_ = highest >= small_store::most;
        built.choose_width();
        return built;
    }

    // See fib/layout.hpp. Each pair of tables is one part, because one of them is empty.
    struct part_names {
        std::string_view root, chunks, values, unused;
    };
    template <class Self, class Visit>
    static void for_each_array(Self& of, const part_names& names, Visit&& visit) {
        small_store::for_each_array(of.small_, names.root, names.chunks, visit);
        large_store::for_each_array(of.large_, names.root, names.chunks, visit);
        visit(names.values, of.values_);
        visit(names.unused, of.small_.unused());
        visit(names.unused, of.large_.unused());
    }
    template <class Check>
    void check(const Check& in) {
        choose_width();
        in.require(entry_bytes_ == 4 || large_.is_empty(), nullptr, "there are entries of both widths");
        with_store([&](const auto& store) {
            store.check(in, [&](std::uint32_t code, const void* at) {
                in.require(values_.empty() || code < values_.size(), at, "a code has no next hop");
            });
        });
    }

    unsigned entry_bytes() const noexcept { return entry_bytes_; }
    // Indexed by code. Empty if codes are ids plus one.
    std::span<const next_hop> values() const noexcept { return values_; }
    // Calls use(table) with the table of the current entry width.
    template <class Use>
    decltype(auto) with_store(Use use) const {
        return entry_bytes_ == 2 ? use(small_) : use(large_);
    }

    errc apply(const change<A>& c) noexcept {
        const errc done =
            patch(c, [&](auto& store, auto code) { return store.patch(c.affected_ranges, code); });
        const bool too_wide = entry_bytes_ == 4 && !has_wide_codes_ &&
                              large_.chunks_in_use() < small_store::most - small_store::most / 16;
        return done == errc::ok && too_wide ? errc::capacity : done;
    }
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept {
        return patch(c, [&](auto& store, auto code) {
            return store.patch_in_place(c.affected_ranges, code, version);
        });
    }
    std::size_t room() const noexcept { return entry_bytes_ == 2 ? small_.room() : large_.room(); }
    static std::size_t needs(const change<A>& c) noexcept { return small_store::needs(c); }
    void reclaim(std::uint64_t version) noexcept {
        small_.reclaim(version);
        large_.reclaim(version);
    }

  private:
    void choose_width() noexcept { entry_bytes_ = small_.is_empty() ? 4 : 2; }
    template <class Write>
    errc patch(const change<A>& c, Write write) noexcept {
        std::uint32_t code = code_of(c.answer());
        if (!values_.empty()) {
            const auto place = std::lower_bound(values_.begin(), values_.end(), c.answer(), by_code);
            if (place == values_.end() || *place != c.answer())
                return errc::capacity;
            code = static_cast<std::uint32_t>(place - values_.begin());
        }
        if (code >= (entry_bytes_ == 2 ? small_store::most : large_store::most))
            return errc::capacity;
        has_wide_codes_ = has_wide_codes_ || code >= small_store::most;
        return entry_bytes_ == 2 ? write(small_, static_cast<std::uint16_t>(code)) : write(large_, code);
    }
    static bool by_code(next_hop a, next_hop b) noexcept { return code_of(a) < code_of(b); }
    static std::uint32_t code_of(next_hop hop) noexcept { return hop.id + 1; }
    template <class Store>
    static errc keep(expected<Store> result, Store& store) {
        if (!result)
            return result.error();
        store = std::move(*result);
        return errc::ok;
    }
    // A code is the rank of the next hop in the sorted list of different next hops. None is first: it has the
    // highest id, and adding one, as for codes, makes it 0.
    errc fill_by_rank(const interval_list<A>& intervals, std::size_t chunks, std::size_t room,
                      std::size_t most_codes) {
        values_ = intervals.hops;
        values_.push_back(next_hop::none);
        std::sort(values_.begin(), values_.end(), by_code);
        values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
        values_.shrink_to_fit();
        if (values_.size() > most_codes)
            return errc::capacity;
        const auto rank = [&](next_hop hop) {
            const auto place = std::lower_bound(values_.begin(), values_.end(), hop, by_code);
            return static_cast<std::uint32_t>(place - values_.begin());
        };
        return keep(large_store::fill(intervals, chunks, room, rank), large_);
    }

    small_store small_;
    large_store large_;
    std::vector<next_hop> values_;
    unsigned entry_bytes_ = 4;
    bool has_wide_codes_ = false; // codes do not fit in 16 bits
};

} // namespace fingerpost
