// A FIB with a front, which maps each cell of addresses that share their first bits to a code, and the common
// code of such FIBs: codes, regions, long prefixes, changes, images.
//
//     front          first bits of an address -> code                 packed_leaves, ranked_cells
//     long levels    addresses in cells with a finer boundary         long_prefix_levels.hpp
//     regions        codes of short routes -> number of a next hop    regions.hpp
//
// Here, a cell is all addresses that share the bits of the front. A front is a class with
//
//     bits, form, limits               number of first bits; its number in images; its limits
//     arrays                           what lookups read: for_each_section (of an image), each_piece, check,
//                                      each_part, visit, find
//     lookups<A>                       kernels over these arrays: code, batch; if kernels do not read
//                                      addresses in place, takes_addresses is false and there is batch_keys;
//                                      may_answer_escapes and code_of_escaped if it can resolve escapes
//     build(intervals, code_bytes, slack, limits), read_arrays
//     assign, recode, code_of, flush   changes of cells, by their numbers
//     places                           positions of arrays that a change may move
//     may_change, may_follow, sync_from
//     begin_publish, is_publish_finished, finish_publish, counts_shared    if two FIBs share arrays
//     memory_bytes, all_bytes (including memory that another FIB counts), idle_bytes, pack
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/parts/cells/cell_image.hpp"
#include "fingerpost/fib/parts/cells/cell_inspect.hpp"
#include "fingerpost/fib/parts/cells/cell_view.hpp"
#include "fingerpost/fib/parts/cells/long_prefix_levels.hpp"
#include "fingerpost/fib/parts/cells/proportions.hpp"
#include "fingerpost/fib/parts/cells/regions.hpp"
#include "fingerpost/fib/syncable.hpp"

namespace fingerpost::cells {

// Input for building such FIBs from the routes of a table: short routes, and the intervals of the others.
template <class A>
class source {
  public:
    // Changes of short routes need no affected ranges.
    static constexpr unsigned min_length_with_ranges = region_list<A>::most_length + 1;

    // The routes must outlive it. Throws std::bad_alloc.
    explicit source(const routes<A>& table) : table_(table) {
        for (const route<A>& r : table.sorted())
            if (region_list<A>::is_short(r.where))
                shorts_.push_back(r);
        if (!shorts_.empty())
            longer_ = elementary_intervals(table.sorted(), min_length_with_ranges);
    }
    std::span<const route<A>> shorts() const noexcept { return shorts_; }
    const interval_list<A>& intervals() const { return longer_ ? *longer_ : table_.intervals(); }

  private:
    const routes<A>& table_;
    std::vector<route<A>> shorts_;
    std::optional<interval_list<A>> longer_;
};

template <class A, class Front>
class fib {
  public:
    static constexpr unsigned min_length_with_ranges = source<A>::min_length_with_ranges;
    using limits = typename Front::limits;

    // Throws std::bad_alloc, and std::length_error above a limit. Tests pass lower limits.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               const limits& most = {}) {
        return build(source<A>(table), options, most);
    }
    static fib build(const source<A>& from, const build_options& options, const limits& most);

    // After any error the FIB may only be destroyed or assigned to; see fib/patchable.hpp.
    errc apply(const change<A>& c) noexcept;

    // Copies what was written to `active` since this FIB was equal to it. After an error, `active` is
    // unchanged, this FIB must not be used for lookups, and neither may be changed before its own sync_from()
    // another FIB.
    errc sync_from(fib& active) noexcept;

    void begin_publish() noexcept {
        if constexpr (requires { front_.begin_publish(); })
            front_.begin_publish();
    }
    bool is_publish_finished() const noexcept {
        if constexpr (requires { front_.is_publish_finished(); })
            return front_.is_publish_finished();
        return true;
    }
    void finish_publish() noexcept {
        if constexpr (requires { front_.finish_publish(); })
            front_.finish_publish();
    }

    [[gnu::always_inline]] next_hop lookup(A a) const noexcept { return view_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept { view_.lookup(in, out); }
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > 64)
    {
        view_.lookup_halves(first, low, out);
    }

    // The arrays that lookups read, valid until the FIB changes or is destroyed.
    fib_arrays<A, Front> arrays() const noexcept;

    using opened_fib = mapped_fib<A, Front>;
    saved_arrays save() const { return cells::save(arrays()); }
    // Throws std::bad_alloc.
    static expected<opened_fib, saved_fault> open(const saved_arrays& from, const build_options& options) {
        arrays_reader<A, Front> read(from);
        if (const auto fault = read.read())
            return unexpected{*fault};
        return opened_fib(read.arrays(), options.isa, options.tuning);
    }
    // True if an image contains this kind of FIB.
    static bool is_form_of(const saved_arrays& from) noexcept {
        return from.numbers[form_number] == Front::form;
    }

    // Memory shared by two FIBs counts for one of them.
    std::size_t memory_bytes() const noexcept {
        return own_bytes() + front_.memory_bytes() + long_levels_.memory_bytes();
    }

    // See fib/inspectable.hpp. trace() may run while the standby changes.
    next_hop trace(A a, step_visitor each) const { return trace_lookup(seen_, a, each, true); }
    std::vector<memory_part> memory_parts() const { return parts_of(arrays(), memory_bytes()); }
    void visit(node_visitor<A> each) const {
        fib_arrays<A, Front> arrays = seen_;
        if constexpr (requires { front_.counts_shared(); })
            arrays.front.is_counted = front_.counts_shared();
        visit_nodes(arrays, each);
    }

  private:
    static std::uint64_t cell_of(A a) noexcept { return top64(a) >> (64 - Front::bits); }
    // Last cell of a range that ends with this address. A cell may be smaller than an address.
    static std::uint64_t last_cell_of(A a) noexcept { return cell_of(a) | missing_bits; }
    static constexpr std::uint64_t missing_bits =
        low_mask<std::uint64_t>(A::bits < Front::bits ? Front::bits - A::bits : 0);
    // First address of a cell.
    static A cell_at(std::uint64_t number) noexcept {
        if constexpr (A::bits > Front::bits)
            return A{static_cast<typename A::value_type>(static_cast<typename A::value_type>(number)
                                                         << (A::bits - Front::bits))};
        else
            return A{};
    }

    // Slack of leaves, as intervals for each 256 that they hold. It is only as large as the savings from
    // neighbours with equal next hops, which changes will separate again. So a table takes no more memory
    // than one without such neighbours.
    static unsigned slack_for(const interval_list<A>& intervals) noexcept {
        constexpr std::size_t most = 32;
        return static_cast<unsigned>(std::min(most, intervals.merged * 256 / intervals.size()));
    }
    // Updates the pointers to the arrays that lookups read, which a change may have moved.
    void refresh_view() noexcept {
        seen_ = arrays();
        view_ = fib_view<A, Front>(seen_, isa_, tuning_);
    }

    // Returns the intervals with codes. Gaps that only short routes cover get the codes of their regions.
    coded_intervals<A> code_intervals(const interval_list<A>& intervals) const;
    // Sets the next hop of a prefix's region. Adds the region, without gaps, if there is none.
    void set_region(const prefix<A>& where, next_hop hop);
    // Sets the next hop of a short prefix; none removes its route. Returns false if no region is left for it.
    bool apply_short(const prefix<A>& where, next_hop hop);
    // Moves the gaps in a short prefix from one region to another.
    void recode(const prefix<A>& where, std::uint32_t from, std::uint32_t to);

    void assign(A first, A last, std::uint32_t code);
    // `forget` also removes these cells from the long-prefix levels.
    void assign_whole(A first, A last, std::uint32_t code, bool forget);

    // True if more than 1/12 and a few pages are unused. For the long-prefix levels, which have many small
    // trees, the limit is 1/20 and a few pages.
    bool is_wasteful() const noexcept {
        return front_.idle_bytes() > most_idle() || is_wasteful_in_long_levels();
    }
    bool is_wasteful_in_long_levels() const noexcept {
        return long_levels_.idle_bytes() > long_levels_.memory_bytes() / 20 + few_pages;
    }
    static constexpr std::size_t few_pages = 8 * 1024;
    std::size_t own_bytes() const noexcept { return regions_.memory_bytes() + codec_.memory_bytes(); }
    std::size_t most_idle() const noexcept {
        return most_unused_bytes.of(own_bytes() + front_.all_bytes()) + few_pages;
    }

    simd::isa isa_{};
    simd::tuning tuning_;
    fib_view<A, Front> view_;   // points to heap memory of the members below, so it remains valid after a
                                // move
    fib_arrays<A, Front> seen_; // for inspection; arrays() may already belong to another FIB
    Front front_;
    long_prefix_levels<A> long_levels_;
    bool changes_long_levels_ = false; // by the current change
    region_list<A> regions_;
    next_hop_codec codec_;
    std::uint64_t pair_ = 0; // equal in two FIBs that the last sync_from() made equal
    bool may_change_ = true; // false in the FIB that was copied
};

template <class A, class Front>
fib<A, Front> fib<A, Front>::build(const source<A>& from, const build_options& options, const limits& most) {
    fib built;
    built.isa_ = options.isa;
    built.tuning_ = options.tuning;
    const interval_list<A>& intervals = from.intervals();
    std::vector<next_hop> short_hops;
    for (const route<A>& r : from.shorts())
        short_hops.push_back(r.hop);
    built.regions_ = region_list<A>(region_list<A>::count_for(short_hops.size()));
    built.codec_ = next_hop_codec::choose(intervals.hops, 1, short_hops, 4, built.regions_.count());
    for (const route<A>& r : from.shorts())
        built.set_region(r.where, r.hop);
    const std::uint32_t escape = built.codec_.escape();
    auto parts = split_at_depth(built.code_intervals(intervals), 0, Front::bits, escape);
    built.front_ = Front::build(parts.whole, built.codec_.bytes(), slack_for(intervals), most);
    built.long_levels_ = long_prefix_levels<A>(Front::bits, built.codec_.bytes(), escape, options.hash_seed);
    built.long_levels_.build(std::move(parts.finer));
    built.refresh_view();
    return built;
}

template <class A, class Front>
errc fib<A, Front>::apply(const change<A>& c) noexcept try {
    if (!may_change_ || !front_.may_change())
        return errc::capacity;
    const bool is_short = region_list<A>::is_short(c.where);
    // If at most a short route remains, an address has the code of its region.
    const bool leaves_gap = !is_short && c.after == next_hop::none && c.cover_length < min_length_with_ranges;
    const next_hop answer = is_short ? c.after : c.answer();
    if (!leaves_gap && !codec_.can_encode(answer)) {
        if (!codec_.add(answer))
            return errc::capacity;
        refresh_view();
    }
    const auto places = front_.places();
    changes_long_levels_ = false;
    if (is_short) {
        if (!apply_short(c.where, c.after))
            return errc::capacity;
    } else {
        const std::uint32_t code = leaves_gap ? regions_.of(c.where.base) : codec_.encode(answer);
        for (const auto& [first, last] : c.affected_ranges)
            assign(first, last, code);
        front_.flush();
    }
    // If much memory is unused, move lines together, provided that this is sufficient and lasts. Otherwise
    // the change is made, and the result requests a rebuild anyway.
    const bool is_done =
        !is_wasteful() || (!is_wasteful_in_long_levels() && front_.pack(most_idle() / 4 * 3));
    if (is_short || changes_long_levels_ || places != front_.places())
        refresh_view();
    return is_done ? errc::ok : errc::capacity;
} catch (...) {
    return reason_of_exception();
}

template <class A, class Front>
errc fib<A, Front>::sync_from(fib& active) noexcept try {
    const bool were_same = pair_ != 0 && pair_ == active.pair_;
    // The free lists of a frozen FIB belong to the FIB that copied it. If that is this one, there is nothing
    // to copy; otherwise it cannot become equal.
    if (!active.may_change_)
        return were_same ? errc::ok : errc::capacity;
    if (!front_.may_follow(active.front_))
        return errc::capacity;
    pair_ = active.pair_ = 0;
    active.may_change_ = false;
    if (!were_same) {
        isa_ = active.isa_;
        tuning_ = active.tuning_;
        codec_ = active.codec_;
    }
    codec_.sync_from(active.codec_);
    regions_.sync_from(active.regions_, were_same);
    front_.sync_from(active.front_, were_same);
    long_levels_.sync_from(active.long_levels_, were_same);
    refresh_view();
    static std::atomic<std::uint64_t> pairs{0};
    pair_ = active.pair_ = ++pairs;
    may_change_ = true;
    return errc::ok;
} catch (...) {
    return reason_of_exception();
}

template <class A, class Front>
fib_arrays<A, Front> fib<A, Front>::arrays() const noexcept {
    fib_arrays<A, Front> result;
    result.code_bytes = codec_.bytes();
    result.front = front_.read_arrays();
    result.regions = regions_.answers();
    result.hops = codec_.decoder().hops;
    result.long_level_count = long_levels_.size();
    for (std::size_t i = 0; i < result.long_level_count; ++i)
        result.long_levels[i] = long_levels_.arrays(i);
    return result;
}

template <class A, class Front>
coded_intervals<A> fib<A, Front>::code_intervals(const interval_list<A>& intervals) const {
    coded_intervals<A> coded;
    coded.reserve(intervals.size());
    A first = A::first();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const A last = intervals.ends[i];
        if (intervals.hops[i] == next_hop::none)
            regions_.each_piece(first, last, [&](A end, std::uint32_t code) { coded.push(end, code); });
        else
            coded.push(last, codec_.encode(intervals.hops[i]));
        first = A{static_cast<typename A::value_type>(last.value + 1)};
    }
    return coded;
}

template <class A, class Front>
void fib<A, Front>::set_region(const prefix<A>& where, next_hop hop) {
    if (!regions_.find(where))
        (void)regions_.add(where);
    regions_.set(*regions_.find(where), codec_.number_of(hop));
}

template <class A, class Front>
bool fib<A, Front>::apply_short(const prefix<A>& where, next_hop hop) {
    const auto known = regions_.find(where);
    if (!known && hop == next_hop::none)
        return true;
    if (!known && regions_.is_full()) {
        const auto idle = regions_.find_idle();
        if (!idle)
            return false;
        const prefix<A> given_up = regions_.prefix_of(*idle);
        recode(given_up, *idle, regions_.remove(*idle));
    }
    if (!known) {
        const std::uint32_t outer = regions_.add(where);
        recode(where, outer, *regions_.find(where));
    }
    set_region(where, hop);
    return true;
}

template <class A, class Front>
void fib<A, Front>::recode(const prefix<A>& where, std::uint32_t from, std::uint32_t to) {
    const A first = where.first();
    const A last = where.last();
    front_.recode(cell_of(first), last_cell_of(last), from, to, codec_.escape());
    long_levels_.recode(first, last, from, to);
}

template <class A, class Front>
void fib<A, Front>::assign(A first, A last, std::uint32_t code) {
    long_prefix_levels<A>::assign_cells(
        first, last, std::min(Front::bits, A::bits), [&](A from, A to, bool part) {
            changes_long_levels_ |= part;
            if (part) {
                const std::uint32_t whole = front_.code_of(cell_of(from));
                assign_whole(from, from, long_levels_.assign(0, from, to, code, whole), false);
            } else {
                assign_whole(from, to, code, true);
            }
        });
}

template <class A, class Front>
void fib<A, Front>::assign_whole(A first, A last, std::uint32_t code, bool forget) {
    const auto forget_cells = [&](std::uint64_t low, std::uint64_t high) {
        changes_long_levels_ |= forget;
        for (std::uint64_t cell = low; forget && cell <= high; ++cell)
            long_levels_.erase(0, cell_at(cell));
    };
    front_.assign(cell_of(first), last_cell_of(last), code, codec_.escape(), forget_cells);
}

} // namespace fingerpost::cells
