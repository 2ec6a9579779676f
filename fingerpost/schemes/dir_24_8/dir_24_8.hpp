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
// Update: as many entries as the change decides, up to 2^24 for a default route. A group is begun where a
// boundary comes to lie inside an entry, and goes when its entries have become equal. A next hop id or a
// number of groups that does not fit the entries asks for a table built anew.
//
// fib/parts/chunked_table.hpp fills and patches the arrays, where a spill group is a chunk; it says what a
// reader sees meanwhile.
//
// Limits: widths up to 32.
// Batch: with AVX-512, on CPUs where simd/tuning.cpp says so, 16 entries by one gather and 64 at a time
// (kernels_avx512.hpp). Else one pass in which no branch depends on the data, as addresses without a spill
// group load a harmless entry: the core overlaps the lookups by itself. The table's entries are prefetched 64
// addresses ahead there. With gathers that wins on some workloads and loses on as many.
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
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/dir_24_8/arrays.hpp"
#include "fingerpost/schemes/dir_24_8/inspect.hpp"
#include "fingerpost/schemes/dir_24_8/kernels.hpp"

namespace fingerpost::dir_24_8 {

template <class A, unsigned First = (A::bits * 3 / 4 > 0 ? A::bits * 3 / 4 : 1),
          unsigned Rest = A::bits - First>
class fib {
    static_assert(A::bits <= 32, "a direct table serves widths up to 32 bits");
    static_assert(First >= 1 && Rest >= 1 && First + Rest == A::bits);
    static_assert(sizeof(A) == sizeof(std::uint32_t), "as kernels read addresses");

    using small_store = chunked_table<A, std::uint16_t, First, Rest>;
    using large_store = chunked_table<A, std::uint32_t, First, Rest>;

  public:
    // Codes and numbers of groups stay below this; fewer codes are for tests of what happens then.
    static constexpr std::size_t most = large_store::most;
    static_assert((std::size_t{1} << First) / 4 * 5 + 1024 <= most,
                  "a group for each entry, and the room for more of them");

    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::size_t most_codes = most) {
        return build_with(
            table, options, [](std::size_t) { return std::size_t{0}; }, most_codes);
    }
    // Room for a quarter more groups, and for some in a table without.
    static expected<fib> build_in_place(const routes<A>& table, const build_options& options = {}) {
        return build_with(
            table, options, [](std::size_t groups) { return groups / 4 + 1024; }, most);
    }

    next_hop lookup(A a) const noexcept {
        return entry_bytes_ == 2 ? view(small_).lookup(a) : view(large_).lookup(a);
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (const std::size_t done = look_up_groups(in, out); done != 0) {
            in = in.subspan(done);
            out = out.subspan(done);
        }
        if (entry_bytes_ == 2)
            view(small_).lookup(in, out);
        else
            view(large_).lookup(in, out);
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    errc apply(const change<A>& c) noexcept {
        return patch(c, [&](auto& store, auto code) { return store.patch(c.affected_ranges, code); });
    }
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept {
        return patch(c, [&](auto& store, auto code) {
            return store.patch_in_place(c.affected_ranges, code, version);
        });
    }
    std::size_t room() const noexcept { return entry_bytes_ == 2 ? small_.room() : large_.room(); }
    // A range begins and ends inside at most one entry each.
    static std::size_t needs(const change<A>& c) noexcept { return small_store::needs(c); }
    void reclaim(std::uint64_t version) noexcept {
        small_.reclaim(version);
        large_.reclaim(version);
    }

    next_hop trace(A a, step_visitor each) const {
        return entry_bytes_ == 2 ? dir_24_8::trace(view(small_), a, each)
                                 : dir_24_8::trace(view(large_), a, each);
    }
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const {
        if (entry_bytes_ == 2)
            dir_24_8::visit(view(small_), each);
        else
            dir_24_8::visit(view(large_), each);
    }

  private:
    std::array<memory_part, 5> parts() const noexcept {
        return {{{"table", small_.root_bytes() + large_.root_bytes()},
                 {"spill", small_.chunk_bytes() + large_.chunk_bytes()},
                 {"values", values_.capacity() * sizeof(next_hop)},
                 {"unused groups", small_.unused_list_bytes() + large_.unused_list_bytes()},
                 {"object", sizeof *this}}};
    }

    template <class Room>
    static expected<fib> build_with(const routes<A>& table, const build_options& options, Room room_for,
                                    std::size_t most_codes) try {
        const interval_list<A>& intervals = table.intervals();
        const std::size_t groups = small_store::count_chunks(intervals);
        const std::size_t room = room_for(groups);
        std::uint32_t highest = 0; // code; none has code 0
        for (const next_hop hop : intervals.hops)
            highest = std::max(highest, code_of(hop));
        fib built;
        errc failure = errc::ok;
        if (highest < small_store::most && groups + room <= small_store::most)
            failure = keep(small_store::fill(intervals, groups, room, code_of), built.small_);
        else if (highest < most_codes)
            failure = keep(large_store::fill(intervals, groups, room, code_of), built.large_);
        else
            failure = built.fill_by_rank(intervals, groups, room, most_codes);
        if (failure != errc::ok)
            return unexpected{failure};
        built.entry_bytes_ = built.small_.memory_bytes() != 0 ? 2 : 4;
        if (options.tuning.direct_gathers && built.values_.empty()) {
            const kernel_set& kernels = kernels_of(options.isa);
            built.groups_ = built.entry_bytes_ == 2 ? kernels.two : kernels.four;
        }
        return built;
    } catch (...) {
        return unexpected{reason_of_exception()};
    }

    template <class Write>
    errc patch(const change<A>& c, Write write) noexcept {
        std::uint32_t code = code_of(c.answer());
        if (!values_.empty()) {
            const auto found = std::lower_bound(values_.begin(), values_.end(), c.answer(), by_code);
            if (found == values_.end() || *found != c.answer())
                return errc::capacity;
            code = static_cast<std::uint32_t>(found - values_.begin());
        }
        if (code >= (entry_bytes_ == 2 ? small_store::most : large_store::most))
            return errc::capacity;
        return entry_bytes_ == 2 ? write(small_, static_cast<std::uint16_t>(code)) : write(large_, code);
    }

    // As many addresses as fill groups of the kernel; none where there is no kernel, or where its places of
    // 32 bits do not reach the last spill group.
    std::size_t look_up_groups(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (in.size() < least_group || groups_ == nullptr)
            return 0;
        if (entry_bytes_ == 4 && large_.chunk_bytes() > sizeof(std::uint32_t) << 31)
            return 0;
        const entry_arrays from = entry_bytes_ == 2 ? entry_arrays{small_.root(), small_.chunks(), Rest}
                                                    : entry_arrays{large_.root(), large_.chunks(), Rest};
        return groups_(from, reinterpret_cast<const std::uint32_t*>(in.data()),
                       reinterpret_cast<std::uint32_t*>(out.data()), in.size());
    }

    static bool by_code(next_hop a, next_hop b) noexcept { return code_of(a) < code_of(b); }
    static std::uint32_t code_of(next_hop hop) noexcept { return hop.id + 1; }
    direct_view<A, std::uint16_t, Rest> view(const small_store& store) const noexcept {
        return {store.root(), store.chunks(), nullptr};
    }
    direct_view<A, std::uint32_t, Rest> view(const large_store& store) const noexcept {
        return {store.root(), store.chunks(), values_.empty() ? nullptr : values_.data()};
    }

    template <class Store>
    static errc keep(expected<Store> made, Store& store) {
        if (!made)
            return made.error();
        store = std::move(*made);
        return errc::ok;
    }
    // Codes are places in the sorted list of the different next hops. None is the first of the list: it has
    // the highest id, and adding one, as for codes, moves it to the front.
    errc fill_by_rank(const interval_list<A>& intervals, std::size_t groups, std::size_t room,
                      std::size_t most_codes) {
        values_ = intervals.hops;
        std::sort(values_.begin(), values_.end(), by_code);
        values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
        values_.shrink_to_fit();
        if (values_.size() > most_codes)
            return errc::capacity;
        const auto rank = [&](next_hop hop) {
            const auto found = std::lower_bound(values_.begin(), values_.end(), hop, by_code);
            return static_cast<std::uint32_t>(found - values_.begin());
        };
        return keep(large_store::fill(intervals, groups, room, rank), large_);
    }

    small_store small_;
    large_store large_;
    std::vector<next_hop> values_;
    unsigned entry_bytes_ = 4;
    group_kernel groups_ = nullptr; // null without one
};

} // namespace fingerpost::dir_24_8
