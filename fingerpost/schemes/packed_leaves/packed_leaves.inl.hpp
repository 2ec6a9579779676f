// How packed leaves are built, changed and opened. Included by packed_leaves.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fingerpost::packed_leaves {

template <class A>
auto fib<A>::build(const routes<A>& table, const build_options& options, const size_bounds& bounds)
    -> expected<fib> {
    fib built;
    built.kernels_ = &kernels_of(options.isa);
    built.tuning_ = options.tuning;
    std::vector<route<A>> shorts;
    std::vector<next_hop> short_hops;
    for (const route<A>& r : table.sorted())
        if (region_list<A>::is_short(r.where)) {
            shorts.push_back(r);
            short_hops.push_back(r.hop);
        }
    std::optional<interval_list<A>> longer;
    if (!shorts.empty())
        longer = elementary_intervals(table.sorted(), min_length_with_ranges);
    const interval_list<A>& intervals = longer ? *longer : table.intervals();
    built.regions_ = region_list<A>(region_list<A>::count_for(shorts.size()));
    built.codec_ = next_hop_codec::choose(intervals.hops, 1, short_hops, 4, built.regions_.count());
    for (const route<A>& r : shorts)
        built.set_region(r.where, r.hop);
    const bool uses_bitmaps = may_use_bitmaps && intervals.size() >= bounds.bitmaps_from;
    const std::uint32_t escape = built.codec_.escape();
    const unsigned inner = fib_arrays<A>::index_bits(uses_bitmaps);
    auto parts = split_at_depth(built.code_intervals(intervals), 0, inner, escape);
    if (uses_bitmaps)
        built.bitmaps_ =
            std::make_shared<bitmap_rank_table>(parts.whole, built.codec_.bytes(), bounds.answers);
    else
        built.build_trees(parts.whole, slack_for(intervals), bounds);
    built.long_levels_ = long_prefix_levels<A>(inner, built.codec_.bytes(), escape, options.hash_seed);
    built.long_levels_.build(std::move(parts.finer));
    built.refresh_view();
    return built;
}

template <class A>
errc fib<A>::apply(const change<A>& c) noexcept try {
    if (!may_change_ || (bitmaps_ != nullptr && !bitmaps_->may_change()))
        return errc::capacity;
    const bool is_short = region_list<A>::is_short(c.where);
    // Where at most a short route remains, an address has the code of its region.
    const bool leaves_gap = !is_short && c.after == next_hop::none && c.cover_length < min_length_with_ranges;
    const next_hop answer = is_short ? c.after : c.answer();
    if (!leaves_gap && !codec_.can_encode(answer)) {
        if (!codec_.add(answer))
            return errc::capacity;
        refresh_view();
    }
    const auto places = moving_arrays();
    changes_long_levels_ = false;
    if (is_short) {
        if (!apply_short(c.where, c.after))
            return errc::capacity;
    } else {
        const std::uint32_t code = leaves_gap ? regions_.of(c.where.base) : codec_.encode(answer);
        for (const auto& [first, last] : c.affected_ranges)
            assign(first, last, code);
        index_.flush(trees_);
    }
    const bool is_done = !is_wasteful() || pack();
    if (is_short || changes_long_levels_ || places != moving_arrays())
        refresh_view();
    return is_done ? errc::ok : errc::capacity;
} catch (...) {
    return reason_of_exception();
}

template <class A>
errc fib<A>::sync_from(fib& active) noexcept try {
    const bool were_same = pair_ != 0 && pair_ == active.pair_;
    // A frozen FIB has already handed its free lists over. If this FIB has them, there is nothing new for
    // it; else it cannot become equal.
    if (!active.may_change_)
        return were_same ? errc::ok : errc::capacity;
    // Words are shared by two, no more.
    if (active.bitmaps_ != bitmaps_ && active.bitmaps_.use_count() > 1)
        return errc::capacity;
    pair_ = active.pair_ = 0;
    active.may_change_ = false;
    if (!were_same) {
        kernels_ = active.kernels_;
        tuning_ = active.tuning_;
        codec_ = active.codec_;
    }
    codec_.sync_from(active.codec_);
    regions_.sync_from(active.regions_, were_same);
    index_.sync_from(active.index_, were_same);
    trees_.sync_from(active.trees_, were_same);
    if (bitmaps_ != active.bitmaps_) {
        bitmaps_ = active.bitmaps_;
        side_ = 1 - active.side_;
    }
    if (bitmaps_ != nullptr)
        bitmaps_->begin_version(side_);
    long_levels_.sync_from(active.long_levels_, were_same);
    refresh_view();
    static std::atomic<std::uint64_t> pairs{0};
    pair_ = active.pair_ = ++pairs;
    may_change_ = true;
    return errc::ok;
} catch (...) {
    return reason_of_exception();
}

template <class A>
fib_arrays<A> fib<A>::arrays() const noexcept {
    fib_arrays<A> all;
    all.code_bytes = codec_.bytes();
    all.uses_bitmaps = bitmaps_ != nullptr;
    if (all.uses_bitmaps) {
        all.words = bitmaps_->words();
        all.answers = bitmaps_->answers();
        all.versions = bitmaps_->versions(side_);
    } else {
        all.root = index_.root();
        all.root_codes = index_.root_codes();
        all.pages = index_.pages();
        all.lines = trees_.bytes();
    }
    all.regions = regions_.answers();
    all.hops = codec_.decoder().hops;
    all.long_level_count = long_levels_.size();
    for (std::size_t i = 0; i < all.long_level_count; ++i)
        all.long_levels[i] = long_levels_.arrays(i);
    return all;
}

template <class A>
auto fib<A>::open(const saved_arrays& from, const build_options& options)
    -> expected<opened_fib, saved_fault> {
    arrays_reader<A> read(from);
    if (const auto fault = read.read())
        return unexpected{*fault};
    return opened_fib(read.arrays(), kernels_of(options.isa), options.tuning);
}

template <class A>
unsigned fib<A>::slack_for(const interval_list<A>& intervals) noexcept {
    constexpr std::size_t most = 32;
    return static_cast<unsigned>(std::min(most, intervals.merged * 256 / intervals.size()));
}

template <class A>
void fib<A>::build_trees(const coded_intervals<A>& intervals, unsigned slack, const size_bounds& bounds) {
    std::vector<std::uint64_t> ends;
    ends.reserve(intervals.size());
    for (const A end : intervals.ends)
        ends.push_back(position_of(end) | missing_bits);
    trees_ = tree_store(codec_.bytes(), node_levels, intervals.size(), slack, bounds.lines);
    index_ = build_index(ends, intervals.codes, trees_, bounds.entries);
    trees_.shrink();
}

template <class A>
coded_intervals<A> fib<A>::code_intervals(const interval_list<A>& intervals) const {
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

template <class A>
void fib<A>::set_region(const prefix<A>& where, next_hop hop) {
    if (!regions_.find(where))
        (void)regions_.add(where);
    regions_.set(*regions_.find(where), codec_.number_of(hop));
}

template <class A>
bool fib<A>::apply_short(const prefix<A>& where, next_hop hop) {
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

template <class A>
void fib<A>::recode(const prefix<A>& where, std::uint32_t from, std::uint32_t to) {
    const A first = where.first();
    const A last = where.last();
    if (bitmaps_ != nullptr)
        bitmaps_->recode(cell_of(first), cell_of(last), from, to);
    else
        index_.recode(trees_, position_of(first), position_of(last) | missing_bits, from, to,
                      codec_.escape());
    long_levels_.recode(first, last, from, to);
}

template <class A>
void fib<A>::assign(A first, A last, std::uint32_t code) {
    long_prefix_levels<A>::assign_cells(
        first, last, std::min(index_bits(), A::bits), [&](A from, A to, bool part) {
            changes_long_levels_ |= part;
            if (part)
                assign_whole(from, from, long_levels_.assign(0, from, to, code, code_of(from)), false);
            else
                assign_whole(from, to, code, true);
        });
}

template <class A>
std::uint32_t fib<A>::code_of(A a) {
    return bitmaps_ != nullptr ? bitmaps_->code_of(cell_of(a)) : index_.code_of(trees_, position_of(a));
}

template <class A>
void fib<A>::assign_whole(A first, A last, std::uint32_t code, bool forget) {
    const std::uint32_t escape = codec_.escape();
    const auto forget_cells = [&](std::uint64_t low, std::uint64_t high) {
        changes_long_levels_ |= forget;
        for (std::uint64_t cell = low; forget && cell <= high; ++cell)
            long_levels_.erase(0, cell_at(cell));
    };
    if (bitmaps_ != nullptr)
        bitmaps_->assign(cell_of(first), cell_of(last), code, escape, forget_cells);
    else
        index_.assign(trees_, position_of(first), position_of(last) | missing_bits, code, escape,
                      forget_cells);
}

template <class A>
A fib<A>::cell_at(std::uint64_t number) const noexcept {
    using value = typename A::value_type;
    const unsigned inner = index_bits();
    if constexpr (A::bits > (may_use_bitmaps ? cell_bits : index_tables::bits))
        return A{static_cast<value>(static_cast<value>(number) << (A::bits - inner))};
    else
        return A{};
}

template <class A>
bool fib<A>::pack() {
    if (bitmaps_ != nullptr || is_wasteful_in_long_levels() ||
        trees_.emptied_bytes() + index_.grown_bytes() > most_idle() / 4 * 3)
        return false;
    index_.pack(trees_);
    return true;
}

} // namespace fingerpost::packed_leaves
