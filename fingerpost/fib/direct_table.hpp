// A flat array by the first bits of the address, spilling over where longer prefixes need more bits:
// DIR-24-8.
//
// With 24 and 8 bits every IPv4 lookup is one load, or two where a prefix longer than /24 is near. The
// price is a table of 2^24 entries however few the routes.
//
//      table   [ 2^First entries ]             entry, extended bit clear:  next hop code
//                      |                              extended bit set:    number of a spill group
//                      v
//      spill   [ 2^Rest | 2^Rest | ... ]       entries without extended bit
//
// A code is the next hop id plus one, so that none, all ones, becomes 0 and needs no test. Entries are 16
// bits while all ids are below 32,767 and there are at most 32,768 groups: half the memory, as DPDK's
// two-byte entries. Else they are 32 bits, and when an id has its top bit set or is close to it, codes
// count the different next hops and `values` turns them back. Which of these a table has is decided when it
// is built.
//
// Lookup: 1 dependent load, 2 in a spill group, 1 more with `values`. The table is too large for most
// caches, the part of it that traffic touches is often not.
// Memory: 32 MiB or 64 MiB for IPv4, plus 512 or 1,024 bytes a group.
// Update: in place, as many entries as the change decides: up to 2^24 for a default route.
// Limits: widths up to 32.
// Batch: one pass in which no branch depends on the data, as addresses without a spill group load a
// harmless entry: the core overlaps the lookups by itself. The table's entries are prefetched 64 addresses
// ahead.
//
// Source: P. Gupta, S. Lin, N. McKeown, Routing lookups in hardware at memory access speeds, INFOCOM 1998;
// DPDK lib/fib/dir24_8.c (BSD-3; nothing copied).
//
// Lost: blocks of 32 addresses with a pass for the table, one for the spill groups and one for the answers:
// 272 against 385 Mlps on tier1-v4 with matching addresses, 200 against 245 with uniform ones, 105 against
// 117 with 300,000 routes beyond /24 added (2.7 GHz Xeon, one core, best of 7, other work on the machine).
// A branch on the extended bit instead of the harmless load loses 2 to 7 %.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

namespace detail {

// What lookup reads; Word is the entry. `values` is null while codes are ids plus one.
template <class A, class Word, unsigned Rest>
struct direct_view {
    static constexpr Word extended = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
    static constexpr std::uint32_t rest_mask = low_mask<std::uint32_t>(Rest);
    // How far before its use an entry is asked for: 32 and 64 were equally good, 0 and whole blocks worse.
    static constexpr std::size_t ahead = 64;

    const Word* table;
    const Word* spill;
    const next_hop* values;

    // The place in the spill array that an entry leads to; 0, which is always there, when it leads nowhere.
    static std::size_t spill_place(Word entry, A a) noexcept {
        const std::size_t group = entry & static_cast<Word>(~extended);
        const std::size_t place = (group << Rest) | (a.value & rest_mask);
        return (entry & extended) != 0 ? place : 0;
    }
    next_hop decode(Word code) const noexcept {
        return values != nullptr ? values[code] : next_hop{static_cast<std::uint32_t>(code) - 1};
    }

    next_hop lookup(A a) const noexcept {
        Word entry = table[a.value >> Rest];
        if ((entry & extended) != 0)
            entry = spill[spill_place(entry, a)];
        return decode(entry);
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::size_t i = 0;
        for (; i + ahead < in.size(); ++i) {
            __builtin_prefetch(&table[in[i + ahead].value >> Rest]);
            out[i] = lookup_branch_free(in[i]);
        }
        for (; i < in.size(); ++i)
            out[i] = lookup_branch_free(in[i]);
    }

  private:
    next_hop lookup_branch_free(A a) const noexcept {
        const Word entry = table[a.value >> Rest];
        const Word spilled = spill[spill_place(entry, a)];
        return decode((entry & extended) != 0 ? spilled : entry);
    }
};

// What lookup needs to own, and how it is filled; code(hop) must stay below the extended bit.
template <class A, class Word, unsigned First, unsigned Rest>
class direct_store {
    using view_type = direct_view<A, Word, Rest>;

  public:
    static constexpr std::uint32_t most = view_type::extended; // codes and groups must be below

    template <class Code>
    static expected<direct_store> fill(const interval_list<A>& intervals, std::size_t groups, Code code) {
        direct_store built;
        auto table = aligned_array<Word>::make(std::size_t{1} << First);
        // One group at least, for the load that leads nowhere.
        auto spill = aligned_array<Word>::make(std::max<std::size_t>(groups, 1) << Rest);
        if (!table || !spill)
            return unexpected{errc::out_of_memory};
        built.table_ = std::move(*table);
        built.spill_ = std::move(*spill);
        std::uint64_t from = 0;
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            const std::uint64_t end = std::uint64_t{intervals.ends[i].value} + 1;
            built.fill_run(from, end, static_cast<Word>(code(intervals.hops[i])));
            from = end;
        }
        return built;
    }

    view_type view(const next_hop* values) const noexcept { return {table_.data(), spill_.data(), values}; }
    std::size_t memory_bytes() const noexcept { return table_.memory_bytes() + spill_.memory_bytes(); }

  private:
    // Runs come in order and without gaps: one that starts inside an entry finds its group begun.
    void fill_run(std::uint64_t from, std::uint64_t end, Word code) noexcept {
        constexpr std::uint64_t rest_mask = view_type::rest_mask;
        const std::uint64_t whole = std::min((from + rest_mask) & ~rest_mask, end);
        fill_part(from, whole, code);
        const std::uint64_t whole_end = std::max(end & ~rest_mask, whole);
        std::fill(table_.data() + (whole >> Rest), table_.data() + (whole_end >> Rest), code);
        fill_part(whole_end, end, code);
    }
    void fill_part(std::uint64_t from, std::uint64_t end, Word code) noexcept {
        if (from == end)
            return;
        constexpr std::uint64_t rest_mask = view_type::rest_mask;
        if ((from & rest_mask) == 0)
            table_[from >> Rest] = static_cast<Word>(view_type::extended | static_cast<Word>(groups_++));
        const std::size_t group = static_cast<std::size_t>(groups_ - 1) << Rest;
        const std::size_t first = group + (from & rest_mask);
        std::fill_n(spill_.data() + first, end - from, code);
    }

    aligned_array<Word> table_;
    aligned_array<Word> spill_;
    std::uint32_t groups_ = 0;
};

} // namespace detail

template <class A, unsigned First = (A::bits * 3 / 4 > 0 ? A::bits * 3 / 4 : 1),
          unsigned Rest = A::bits - First>
class direct_table {
    static_assert(A::bits <= 32, "a direct table serves widths up to 32 bits");
    static_assert(First >= 1 && First + Rest == A::bits);

    using small_store = detail::direct_store<A, std::uint16_t, First, Rest>;
    using large_store = detail::direct_store<A, std::uint32_t, First, Rest>;

  public:
    static expected<direct_table> build(const routes<A>& table, const build_options& = {}) try {
        const interval_list<A>& intervals = table.intervals();
        const std::size_t groups = count_groups(intervals);
        std::uint32_t highest = 0; // code; none has code 0
        for (const next_hop hop : intervals.hops)
            highest = std::max(highest, code_of(hop));
        direct_table built;
        errc failure = errc::ok;
        if (highest < small_store::most && groups <= small_store::most)
            failure = keep(small_store::fill(intervals, groups, code_of), built.small_);
        else if (highest < large_store::most)
            failure = keep(large_store::fill(intervals, groups, code_of), built.large_);
        else
            failure = built.fill_by_rank(intervals, groups);
        if (failure != errc::ok)
            return unexpected{failure};
        built.entry_bytes_ = built.small_.memory_bytes() != 0 ? 2 : 4;
        return built;
    } catch (const std::bad_alloc&) {
        return unexpected{errc::out_of_memory};
    }

    next_hop lookup(A a) const noexcept {
        return entry_bytes_ == 2 ? small_.view(nullptr).lookup(a) : large_.view(values()).lookup(a);
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (entry_bytes_ == 2)
            small_.view(nullptr).lookup(in, out);
        else
            large_.view(values()).lookup(in, out);
    }
    std::size_t memory_bytes() const noexcept {
        return sizeof *this + small_.memory_bytes() + large_.memory_bytes() +
               values_.capacity() * sizeof(next_hop);
    }

  private:
    static std::uint32_t code_of(next_hop hop) noexcept { return hop.id + 1; }
    const next_hop* values() const noexcept { return values_.empty() ? nullptr : values_.data(); }

    // An entry needs a group when an interval ends inside it.
    static std::size_t count_groups(const interval_list<A>& intervals) noexcept {
        constexpr std::uint32_t rest_mask = low_mask<std::uint32_t>(Rest);
        std::size_t groups = 0;
        std::uint64_t last = ~std::uint64_t{0};
        for (const A end : intervals.ends) {
            const std::uint32_t entry = end.value >> Rest;
            if ((end.value & rest_mask) == rest_mask || entry == last)
                continue;
            ++groups;
            last = entry;
        }
        return groups;
    }
    template <class Store>
    static errc keep(expected<Store> made, Store& place) {
        if (!made)
            return made.error();
        place = std::move(*made);
        return errc::ok;
    }
    // Codes are places in the sorted list of the different next hops. None is the first of the list: it has
    // the highest id, and adding one, as for codes, moves it to the front.
    errc fill_by_rank(const interval_list<A>& intervals, std::size_t groups) {
        const auto before = [](next_hop a, next_hop b) { return code_of(a) < code_of(b); };
        values_ = intervals.hops;
        std::sort(values_.begin(), values_.end(), before);
        values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
        values_.shrink_to_fit();
        const auto rank = [&](next_hop hop) {
            const auto found = std::lower_bound(values_.begin(), values_.end(), hop, before);
            return static_cast<std::uint32_t>(found - values_.begin());
        };
        return keep(large_store::fill(intervals, groups, rank), large_);
    }

    small_store small_;
    large_store large_;
    std::vector<next_hop> values_;
    unsigned entry_bytes_ = 4;
};

} // namespace fingerpost
