// Packed leaves: a multibit trie of three levels over small search trees, whose cache lines hold keys and
// codes together. A code stands for a next hop.
//
// Idea. As in PlanB, the longest match is the interval that an address falls into. Three table steps, with
// strides that are chosen for each table, lead an address to a tree of at most some thousand intervals: two
// levels of nodes and a leaf. Within a tree 32 bits tell an address from its neighbours, so a key takes 4
// bytes instead of 8, and a cache line also holds the codes: 10 keys and 11 codes of two bytes. The last line
// of a lookup gives its code, and everything is half as large.
//
//     root    first bits -> entry        2^8 to 2^16 entries
//     table   next bits  -> entry        as many bits as the entry before says
//     table   next bits  -> the tree of the cell, or its code
//     node    | end | end | ... | end | offset of first child   |       15 keys: 16 children
//     node    the same
//     leaf    | end | end | ... | end | code | code | ... | code |       one line, 10 keys, 11 intervals
//
// Every address takes the same steps: an entry that takes no bits passes an address on. In a line the slot is
// the number of keys (inclusive ends) below the address's own: one vector compare, one popcount. A batch goes
// through tables, nodes and leaves in blocks of up to 64 addresses. A block that the tables answer ends
// there. A single such address continues, over lines without keys to a leaf with code 0, which adds nothing
// to its code. So no branch depends on a single address.
//
// Large IPv4 tables have bitmaps instead of trees: bitmap_rank_table.hpp, two dependent loads.
//
// Dependent loads: 3 + 2 + 1. The tables and the upper nodes stay in L1 or L2: with a full IPv6 table a
// lookup reads one node and one leaf from L2.
//
// Prefixes longer than /48, or /24 with bitmaps: the cell that such a boundary divides has the escape code.
// The next long-prefix level finds the cell in a hash table and searches the next 32 bits in a tree of the
// same lines, and so on to /128.
//
// Short routes, in which longer ones leave thousands of gaps, are regions: the gaps have the code of the
// region, and a small table has the region's next hop (regions.hpp).
//
// Update: apply() gives the ranges that a change affects their new code. It reads, changes and writes the
// leaf, the word or the cell of a long-prefix level that a range falls into. A leaf without slack shares with
// the one beside it or is split, and so are nodes and trees. The first node of a tree stays, so the index is
// written only when a cell gets a code or loses one, or when a tree is divided. When much of the lines is
// unused, all lines move together. A FIB must be built anew for a next hop without a code, for a table of the
// index that grows too large, and when other memory is unused. When two FIBs are published by turns, the
// standby copies the lines and slots that the active one has written since; the words of bitmaps they share.
//
// Limits: 4 GB of lines in the trees of the index and in each long-prefix level, 2^26 index entries, 2^31
// codes of words. Own design; what was tried before it and lost: docs/why/experiments/.
//
// Tested by: the suites over the registry, and tests/schemes/packed_leaves.
// Read in this order: packed_leaves.hpp, view.hpp, regions.hpp, index/index.{hpp,cpp},
// index/proportions.hpp, index/free_extents.hpp, index/lines.{hpp,cpp}, index/interval_editor.hpp,
// index/line_numbers.hpp, index/trees.{hpp,cpp}, index/tree_changes.cpp, index/index_builder.{hpp,cpp},
// bitmap/code_array.hpp, bitmap/word_versions.hpp, bitmap/bitmap_rank_table.{hpp,cpp},
// long_prefixes/cell_slots.hpp, long_prefixes/long_prefix_levels.hpp, packed_leaves.inl.hpp, lookup.hpp,
// kernels/stages.inl.hpp, kernels/batches.inl.hpp, kernels/bitmaps.inl.hpp, kernels/kernels_avx2.hpp,
// kernels/kernels_avx512.hpp, kernels.inl.hpp, kernels.cpp, image/save.hpp, image/validate.hpp,
// image/mapped_fib.hpp, inspection/parts.hpp, find.hpp, inspection/word_structure.hpp,
// inspection/structure.hpp, inspection/inspect.hpp, entries.{hpp,cpp}.
#pragma once

#include <array>
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
#include "fingerpost/schemes/packed_leaves/long_prefixes/long_prefix_levels.hpp"
#include "fingerpost/schemes/packed_leaves/lookup.hpp"
#include "fingerpost/schemes/packed_leaves/regions.hpp"

namespace fingerpost::packed_leaves {

// The sizes from which packed leaves use bitmaps, and their limits. Tests set smaller ones.
struct size_bounds {
    // From so many intervals on, an IPv4 table uses bitmaps. Trees of smaller tables take less than 2^19
    // words, and stay in L2.
    std::size_t bitmaps_from = std::size_t{1} << 17;
    std::size_t lines = line_store::most;
    std::size_t entries = index_tables::most_entries;
    std::size_t answers = bitmap_rank_table::most;
};

template <class A>
class fib {
    static constexpr bool may_use_bitmaps = A::bits == 32;

  public:
    // Changes of short routes need no affected ranges.
    static constexpr unsigned min_length_with_ranges = region_list<A>::most_length + 1;

    // Throws std::bad_alloc, and std::length_error above a bound.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               const size_bounds& bounds = {});

    // After anything but errc::ok the FIB may only be destroyed or assigned to, as in fib/patchable.hpp.
    errc apply(const change<A>& c) noexcept;

    // Copies what `active` has written since this FIB was equal to it; the two share words, see
    // word_versions.hpp. After anything but errc::ok `active` answers as before, this FIB may not be looked
    // up in, and neither may be changed before its own sync_from() another FIB.
    errc sync_from(fib& active) noexcept;

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

    // The arrays that lookups read; valid until the FIB changes or is destroyed.
    fib_arrays<A> arrays() const noexcept;

    using opened_fib = mapped_fib<A>;
    saved_arrays save() const { return packed_leaves::save(arrays()); }
    // Throws std::bad_alloc.
    static expected<opened_fib, saved_fault> open(const saved_arrays& from, const build_options& options);

    // Words that two FIBs share count for the newer one.
    std::size_t memory_bytes() const noexcept {
        return own_bytes() + long_levels_.memory_bytes() + (counts_words() ? bitmaps_->memory_bytes() : 0);
    }

    // As in fib/inspectable.hpp; trace() also while the standby changes.
    next_hop trace(A a, step_visitor each) const { return trace_lookup(seen_, a, each, true); }
    std::vector<memory_part> memory_parts() const {
        return parts_of(arrays(), counts_words(), memory_bytes());
    }
    void visit(node_visitor<A> each) const { visit_structure(seen_, counts_words(), each); }

  private:
    // The bits that index or words tell apart; longer prefixes are in the long-prefix levels.
    unsigned index_bits() const noexcept { return fib_arrays<A>::index_bits(bitmaps_ != nullptr); }
    static std::uint64_t position_of(A a) noexcept { return top64(a) >> (64 - index_tables::bits); }
    static std::uint32_t cell_of(A a) noexcept { return static_cast<std::uint32_t>(slice(a, 0, cell_bits)); }

    // The slack of leaves, in intervals for each 256 that they hold: only as much as neighbours with one next
    // hop have saved, as changes will part these again. So a table takes no more than one without such
    // neighbours.
    static unsigned slack_for(const interval_list<A>& intervals) noexcept;
    void build_trees(const coded_intervals<A>& intervals, unsigned slack, const size_bounds& bounds);
    // Notes where the arrays are that lookups read; a change may have moved them.
    void refresh_view() noexcept {
        seen_ = arrays();
        view_ = fib_view<A>(seen_, *kernels_, tuning_);
    }
    std::array<const void*, 4> moving_arrays() const noexcept {
        return {index_.root().data(), index_.pages().data(), trees_.data(),
                bitmaps_ != nullptr ? bitmaps_->answers().data() : nullptr};
    }

    // The same intervals with codes; gaps that only short routes answer get the codes of their regions.
    coded_intervals<A> code_intervals(const interval_list<A>& intervals) const;
    // Sets the next hop of a prefix's region; adds the region, without gaps, if there is none.
    void set_region(const prefix<A>& where, next_hop hop);
    // Gives the route of a short prefix this next hop; none removes it. False if no region is left for it.
    bool apply_short(const prefix<A>& where, next_hop hop);
    // Moves the gaps in a short prefix from one region to another.
    void recode(const prefix<A>& where, std::uint32_t from, std::uint32_t to);

    void assign(A first, A last, std::uint32_t code);
    std::uint32_t code_of(A a);
    // `forget`: also removes these cells from the long-prefix levels.
    void assign_whole(A first, A last, std::uint32_t code, bool forget);
    // The first address of cell `number` of the index or the words.
    A cell_at(std::uint64_t number) const noexcept;
    // True if 1/12 of index and trees is unused, or 1/20 of the long-prefix levels, where many trees are
    // small; and not less than a few pages. What tables have grown by counts as unused, as it may no longer
    // be needed.
    bool is_wasteful() const noexcept { return idle_bytes() > most_idle() || is_wasteful_in_long_levels(); }
    // Moves the lines of trees together if that lasts for long. False if the FIB should be built anew.
    bool pack();
    static constexpr std::size_t few_pages = 8 * 1024;
    std::size_t idle_bytes() const noexcept {
        return trees_.idle_bytes() + index_.grown_bytes() +
               (bitmaps_ != nullptr ? bitmaps_->free_bytes() : 0);
    }
    bool counts_words() const noexcept {
        return bitmaps_ != nullptr && (bitmaps_.use_count() == 1 || bitmaps_->newer_side() == side_);
    }
    // Not counting words and long-prefix levels.
    std::size_t own_bytes() const noexcept {
        return index_.memory_bytes() + trees_.memory_bytes() + regions_.memory_bytes() +
               codec_.memory_bytes();
    }
    std::size_t most_idle() const noexcept {
        const std::size_t words = bitmaps_ != nullptr ? bitmaps_->memory_bytes() : 0;
        return most_unused_bytes.of(own_bytes() + words) + few_pages;
    }
    bool is_wasteful_in_long_levels() const noexcept {
        return long_levels_.idle_bytes() > long_levels_.memory_bytes() / 20 + few_pages;
    }

    // Ones for the bits of a cell's last address that addresses of this width do not have.
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
    long_prefix_levels<A> long_levels_;
    bool changes_long_levels_ = false; // the change at hand
    region_list<A> regions_;
    next_hop_codec codec_;
    std::uint64_t pair_ = 0; // the same in two FIBs that the last sync_from() made equal
    bool may_change_ = true; // false in the one that was copied
};

// Compiled once, in the library.
extern template class fib<ipv4_address>;
extern template class fib<ipv6_address>;

} // namespace fingerpost::packed_leaves

#include "fingerpost/schemes/packed_leaves/packed_leaves.inl.hpp"
