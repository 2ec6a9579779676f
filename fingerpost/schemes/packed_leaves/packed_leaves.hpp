// Packed leaves: a multibit trie of three levels over small search trees, whose cache lines hold keys and
// answers together.
//
// Idea. As in PlanB, the longest match is the interval that an address falls into. Three table steps, with
// strides that are chosen for each table, lead an address to a tree of at most some thousand intervals: two
// levels of nodes and a leaf. Within a tree 32 bits tell an address from its neighbours, so a key takes 4
// bytes instead of 8, and a cache line has room for the answers as well: 10 keys and 11 answers of two bytes.
// The last line of a lookup gives the answer, and everything is half as large.
//
//     root    first bits -> entry        2^8 to 2^16 entries
//     table   next bits  -> entry        as many bits as the entry before says
//     table   next bits  -> the tree of the cell, or the answer at once
//     node    | end | end | ... | end | offset of first child   |       15 keys: 16 children
//     node    the same
//     leaf    | end | end | ... | end | code | code | ... | code |       one line, 10 keys, 11 intervals
//
// Every address takes the same steps: an entry that takes no bits passes an address on. In a line the slot is
// the number of keys (inclusive ends) below the address's own: one vector compare, one popcount. A batch goes
// through tables, nodes and leaves in blocks of up to 64 addresses. A block that the tables answer ends
// there. A single such address goes along, over lines without keys to a leaf with code 0, which adds nothing
// to its answer. So no branch depends on a single address.
//
// Large IPv4 tables have bitmaps instead of trees: bitmap_rank_table.hpp, two dependent loads.
//
// Dependent loads: 3 + 2 + 1. The tables and the upper nodes stay in L1 or L2: with a full IPv6 table a
// lookup takes one node and one leaf from L2.
//
// Prefixes longer than /48, or /24 with bitmaps: the cell that such a boundary divides has the escape code.
// The next tier finds the cell by a hash table and searches the next 32 bits in a tree of the same lines, and
// so on to /128.
//
// Short routes, in which longer ones leave thousands of gaps, are regions: the gaps have the code of the
// region, and a small table says what that answers (regions.hpp).
//
// Update: apply() gives the ranges that a change affects their new code. The leaf, the word or the cell of a
// tier that a range falls into is read, changed and written again. A leaf without room shares with the one
// beside it or is split, and so are nodes and trees. The first node of a tree stays, so the index is only
// written where a cell gets an answer or loses one, and where a tree is divided. When much of the lines is
// idle, all lines move together. A FIB has to be built anew for a next hop without a code, for a table of the
// index that grows too large, and when other memory is idle. Of two FIBs that are published by turns the
// standby copies the lines and slots that the active one has written since; the words of bitmaps they share.
//
// Limits: 4 GB of lines in the trees of the index and in each tier, 2^26 index entries, 2^31 answers of
// words. Own design; what was tried before it and lost: docs/why/experiments/.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/syncable.hpp"
#include "fingerpost/schemes/packed_leaves/bitmap/bitmap_rank_table.hpp"
#include "fingerpost/schemes/packed_leaves/image/mapped_fib.hpp"
#include "fingerpost/schemes/packed_leaves/image/save.hpp"
#include "fingerpost/schemes/packed_leaves/index/index.hpp"
#include "fingerpost/schemes/packed_leaves/index/index_builder.hpp"
#include "fingerpost/schemes/packed_leaves/index/proportions.hpp"
#include "fingerpost/schemes/packed_leaves/index/trees.hpp"
#include "fingerpost/schemes/packed_leaves/inspection/inspect.hpp"
#include "fingerpost/schemes/packed_leaves/long_prefixes/tiers.hpp"
#include "fingerpost/schemes/packed_leaves/lookup.hpp"
#include "fingerpost/schemes/packed_leaves/regions.hpp"

namespace fingerpost::packed_leaves {

// The sizes at which packed leaves take another form or end. Tests have smaller ones, to be there with small
// tables.
struct size_bounds {
    // From so many intervals on an IPv4 table has bitmaps: below, its trees are smaller than 2^19 words and
    // stay in L2.
    std::size_t bitmaps_from = std::size_t{1} << 17;
    std::size_t lines = line_store::most;
    std::size_t entries = index_tables::most_entries;
    std::size_t answers = bitmap_rank_table::most;
};

template <class A>
class fib {
    static constexpr bool may_use_bitmaps = A::bits == 32;

  public:
    // Changes of short routes need not say what they decide.
    static constexpr unsigned min_length_with_ranges = region_list<A>::most_length + 1;

    // Throws std::bad_alloc, and std::length_error above a bound.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               const size_bounds& bounds = {}) {
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
            built.build_trees(parts.whole, room_for(intervals), bounds);
        built.tiers_ = tier_list<A>(inner, built.codec_.bytes(), escape, options.hash_seed);
        built.tiers_.build(std::move(parts.finer));
        built.refresh_view();
        return built;
    }

    // Anything but errc::ok leaves a FIB that may only be destroyed or assigned to, as in fib/scheme.hpp.
    errc apply(const change<A>& c) noexcept try {
        if (!may_change_ || (bitmaps_ != nullptr && !bitmaps_->may_change()))
            return errc::capacity;
        const bool is_short = region_list<A>::is_short(c.where);
        // Where at most a short route remains, an address has the code of its region.
        const bool leaves_gap =
            !is_short && c.after == next_hop::none && c.cover_length < min_length_with_ranges;
        const next_hop answer = is_short ? c.after : c.answer();
        if (!leaves_gap && !codec_.can_encode(answer)) {
            if (!codec_.add(answer))
                return errc::capacity;
            refresh_view();
        }
        const auto places = moving_places();
        changes_tiers_ = false;
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
        if (is_short || changes_tiers_ || places != moving_places())
            refresh_view();
        return is_done ? errc::ok : errc::capacity;
    } catch (...) {
        return reason_of_exception();
    }

    // Copies what `active` has written since this FIB was equal to it; words the two share, see
    // word_versions.hpp. After anything but errc::ok `active` answers as before, this FIB may not be looked
    // up in, and neither may be changed before it has taken over from another one.
    errc sync_from(fib& active) noexcept try {
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
        tiers_.sync_from(active.tiers_, were_same);
        refresh_view();
        static std::atomic<std::uint64_t> pairs{0};
        pair_ = active.pair_ = ++pairs;
        may_change_ = true;
        return errc::ok;
    } catch (...) {
        return reason_of_exception();
    }

    void begin_publish() noexcept {
        if (bitmaps_ != nullptr)
            bitmaps_->begin_publish();
    }
    bool is_publish_finished() const noexcept { return bitmaps_ == nullptr || !bitmaps_->has_redirects(); }
    void finish_publish() noexcept {
        if (bitmaps_ != nullptr)
            bitmaps_->finish_publish();
    }

    next_hop lookup(A a) const noexcept { return view_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept { view_.lookup(in, out); }
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > 64)
    {
        view_.lookup_halves(first, low, out);
    }

    // What lookups read, until the FIB changes or goes.
    fib_arrays<A> arrays() const noexcept {
        fib_arrays<A> all;
        all.answer_bytes = codec_.bytes();
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
        all.tier_count = tiers_.size();
        for (std::size_t i = 0; i < all.tier_count; ++i)
            all.tiers[i] = tiers_.arrays(i);
        return all;
    }

    using opened_fib = mapped_fib<A>;
    saved_arrays save() const { return packed_leaves::save(arrays()); }
    // Throws std::bad_alloc.
    static expected<opened_fib, saved_fault> open(const saved_arrays& from, const build_options& options) {
        arrays_reader<A> read(from);
        if (const auto fault = read.read())
            return unexpected{*fault};
        return opened_fib(read.arrays(), kernels_of(options.isa), options.tuning);
    }

    // Of two FIBs that share words, these count for the newer one.
    std::size_t memory_bytes() const noexcept {
        return own_bytes() + tiers_.memory_bytes() + (counts_words() ? bitmaps_->memory_bytes() : 0);
    }

    // As in fib/inspectable.hpp; trace() also while the standby changes.
    next_hop trace(A a, step_visitor each) const { return trace_lookup(seen_, a, each); }
    std::vector<memory_part> memory_parts() const {
        return parts_of(arrays(), counts_words(), memory_bytes());
    }
    void visit(node_visitor<A> each) const { visit_structure(seen_, counts_words(), each); }

  private:
    // The bits that index or words tell apart; what is finer lies in the tiers.
    unsigned index_bits() const noexcept { return fib_arrays<A>::index_bits(bitmaps_ != nullptr); }
    static std::uint64_t position_of(A a) noexcept { return top64(a) >> (64 - index_tables::bits); }
    static std::uint32_t cell_of(A a) noexcept { return static_cast<std::uint32_t>(slice(a, 0, cell_bits)); }

    // Intervals that leaves have room for, for each 256 that they hold. Where next hops merge, changes will
    // part what was one; where they do not, memory is dear. With it a table takes no more than one without
    // merging.
    static unsigned room_for(const interval_list<A>& intervals) noexcept {
        constexpr std::size_t most = 32;
        return static_cast<unsigned>(std::min(most, intervals.merged * 256 / intervals.size()));
    }
    void build_trees(const coded_intervals<A>& intervals, unsigned room, const size_bounds& bounds) {
        std::vector<std::uint64_t> ends;
        ends.reserve(intervals.size());
        for (const A end : intervals.ends)
            ends.push_back(position_of(end) | missing_bits);
        trees_ = tree_store(codec_.bytes(), node_levels, intervals.size(), room, bounds.lines);
        index_ = build_index(ends, intervals.codes, trees_, bounds.entries);
        trees_.shrink();
    }
    // Where lookups find things, which a change may have moved: these arrays, or something in the tiers.
    void refresh_view() noexcept {
        seen_ = arrays();
        view_ = fib_view<A>(seen_, *kernels_, tuning_);
    }
    std::array<const void*, 4> moving_places() const noexcept {
        return {index_.root().data(), index_.pages().data(), trees_.data(),
                bitmaps_ != nullptr ? bitmaps_->answers().data() : nullptr};
    }

    // As codes: gaps that only short routes answer have those of their regions.
    coded_intervals<A> code_intervals(const interval_list<A>& intervals) const {
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
    // What the region of a prefix answers, a new one where it is none yet and has no gaps.
    void set_region(const prefix<A>& where, next_hop hop) {
        if (!regions_.find(where))
            (void)regions_.add(where);
        regions_.set(*regions_.find(where), codec_.number_of(hop));
    }
    // The route of a short prefix has this next hop now, or is gone. False where there is no code for a
    // region.
    bool apply_short(const prefix<A>& where, next_hop hop) {
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
    // The gaps in a short prefix that belonged to one region belong to another one.
    void recode(const prefix<A>& where, std::uint32_t from, std::uint32_t to) {
        const A first = where.first();
        const A last = where.last();
        if (bitmaps_ != nullptr)
            bitmaps_->recode(cell_of(first), cell_of(last), from, to);
        else
            index_.recode(trees_, position_of(first), position_of(last) | missing_bits, from, to,
                          codec_.escape());
        tiers_.recode(first, last, from, to);
    }

    void assign(A first, A last, std::uint32_t code) {
        tier_list<A>::assign_cells(
            first, last, std::min(index_bits(), A::bits), [&](A from, A to, bool part) {
                changes_tiers_ |= part;
                if (part)
                    assign_whole(from, from, tiers_.assign(0, from, to, code, code_of(from)), false);
                else
                    assign_whole(from, to, code, true);
            });
    }
    std::uint32_t code_of(A a) {
        return bitmaps_ != nullptr ? bitmaps_->code_of(cell_of(a)) : index_.code_of(trees_, position_of(a));
    }
    // `forget` is whether what lies deeper in these cells is to go.
    void assign_whole(A first, A last, std::uint32_t code, bool forget) {
        const std::uint32_t escape = codec_.escape();
        const auto forget_cells = [&](std::uint64_t low, std::uint64_t high) {
            changes_tiers_ |= forget;
            for (std::uint64_t cell = low; forget && cell <= high; ++cell)
                tiers_.erase(0, cell_at(cell));
        };
        if (bitmaps_ != nullptr)
            bitmaps_->assign(cell_of(first), cell_of(last), code, escape, forget_cells);
        else
            index_.assign(trees_, position_of(first), position_of(last) | missing_bits, code, escape,
                          forget_cells);
    }
    // The first address of a cell of index or words by its number.
    A cell_at(std::uint64_t number) const noexcept {
        using value = typename A::value_type;
        const unsigned inner = index_bits();
        if constexpr (A::bits > (may_use_bitmaps ? cell_bits : index_tables::bits))
            return A{static_cast<value>(static_cast<value>(number) << (A::bits - inner))};
        else
            return A{};
    }
    // The point where something has to be done: a twelfth of index and trees is idle, or a twentieth of the
    // tiers, where many trees are small; and not less than a few pages. Tables that have grown count as well,
    // for what is new in them may be needed no more.
    bool is_wasteful() const noexcept { return idle_bytes() > most_idle() || is_wasteful_in_tiers(); }
    // Moves the lines of trees together, where that will do for long. False where building anew is due.
    bool pack() {
        if (bitmaps_ != nullptr || is_wasteful_in_tiers() ||
            trees_.emptied_bytes() + index_.grown_bytes() > most_idle() / 4 * 3)
            return false;
        index_.pack(trees_);
        return true;
    }
    static constexpr std::size_t few_pages = 8 * 1024;
    std::size_t idle_bytes() const noexcept {
        return trees_.idle_bytes() + index_.grown_bytes() +
               (bitmaps_ != nullptr ? bitmaps_->free_bytes() : 0);
    }
    bool counts_words() const noexcept {
        return bitmaps_ != nullptr && (bitmaps_.use_count() == 1 || bitmaps_->newer_side() == side_);
    }
    // Apart from words and tiers.
    std::size_t own_bytes() const noexcept {
        return index_.memory_bytes() + trees_.memory_bytes() + regions_.memory_bytes() +
               codec_.memory_bytes();
    }
    std::size_t most_idle() const noexcept {
        const std::size_t words = bitmaps_ != nullptr ? bitmaps_->memory_bytes() : 0;
        return most_unused_bytes.of(own_bytes() + words) + few_pages;
    }
    bool is_wasteful_in_tiers() const noexcept {
        return tiers_.idle_bytes() > tiers_.memory_bytes() / 20 + few_pages;
    }

    // The last address of a cell has ones where addresses of this width have no bits.
    static constexpr std::uint64_t missing_bits =
        low_mask<std::uint64_t>(A::bits < index_tables::bits ? index_tables::bits - A::bits : 0);

    const kernel_set* kernels_ = nullptr;
    simd::tuning tuning_;
    fib_view<A> view_;   // points into heap memory of the members below, so a move keeps it right
    fib_arrays<A> seen_; // the same for inspection; what arrays() reads may be another FIB's by now
    index_tables index_;
    tree_store trees_;
    std::shared_ptr<bitmap_rank_table> bitmaps_; // not in the form with trees; shared by two FIBs
    unsigned side_ = 0;                          // which of these it is
    tier_list<A> tiers_;
    bool changes_tiers_ = false; // the change at hand
    region_list<A> regions_;
    next_hop_codec codec_;
    std::uint64_t pair_ = 0; // the same in two FIBs that were equal when one took over from the other
    bool may_change_ = true; // of the two it is the one that took over
};

// Compiled once, in the library.
extern template class fib<ipv4_address>;
extern template class fib<ipv6_address>;

} // namespace fingerpost::packed_leaves
