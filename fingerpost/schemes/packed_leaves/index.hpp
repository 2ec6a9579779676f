// The index of packed leaves: three table steps lead from an address to its answer or to the tree with its
// interval.
//
// A root table over the first bits is followed by two tables with strides that the builder chooses, and then
// by trees of at most 2,816 intervals (with codes of two bytes). A cell is the addresses of one entry, which
// share the bits taken so far. Neighbouring cells of a table share a tree if their intervals fit into it.
//
//     root    2^8 to 2^16 entries
//     table   2^s entries for a cell of the root, with s chosen for each such cell
//     table   2^s entries for a cell that still has too many intervals, with the smallest sufficient s
//
// The builder leaves 1/16 of a tree free for changes. With 1/4, the tables grew by 50 KB and lookups took 10
// % longer.
//
// A lookup that root_codes() does not answer takes all three steps. If fewer are necessary, the other entries
// take no bits; cells with the same answer or tree share such entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/dirty_list.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/parts/cells/interval_editor.hpp"
#include "fingerpost/fib/parts/cells/trees.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"

namespace fingerpost::packed_leaves {

// The tables of the index. Positions are 48-bit numbers. Throws std::bad_alloc if memory runs out, and
// std::length_error if there are too many entries, offsets or intervals.
class index_tables {
  public:
    static constexpr unsigned bits = key_begin + key_bits;
    // A tree distinguishes addresses by the bits after these, so all of it is within one such block.
    static constexpr unsigned block_bits = key_begin;
    // The maximum number of bits of a table below the root.
    static constexpr unsigned most_stride = 14;
    // Far more entries than the trees below them could have lines.
    static constexpr std::size_t most_entries = std::size_t{1} << 26;

    // Tests pass a lower limit of page entries to reach it.
    explicit index_tables(std::size_t entries = most_entries) noexcept : most_entries_(entries) {}

    std::span<const std::uint64_t> root() const noexcept { return root_; }
    // Indexed like the root: the code of a cell that the index answers as a whole, otherwise no_root_code.
    std::span<const std::uint32_t> root_codes() const noexcept { return root_codes_; }
    std::span<const std::uint64_t> pages() const noexcept { return pages_; }
    std::size_t memory_bytes() const noexcept;
    // Memory that changes added and a rebuild would save: new tables, and the nodes of trees with only one
    // cell.
    std::size_t grown_bytes() const noexcept;

    // Writes `code` to [low, high]. Calls `forget` for the parts that had the code `escape`. Trees are up to
    // date only after flush().
    template <class Forget>
    void assign(tree_store& trees, std::uint64_t low, std::uint64_t high, std::uint32_t code,
                std::uint32_t escape, Forget forget) {
        for (std::uint64_t at = low;;) {
            cell_ref cell = locate(at);
            if (cell.length < block_bits && (cell.first < low || high < cell.last))
                cell = divide(cell, block_bits - cell.length, at);
            if (!last_entry::is_tree(cell.final))
                set_cell(trees, cell, low, high, code, escape, forget);
            else if (at == low && cell.last >= high)
                // Nearly every change is within one cell and ends here.
                return set_span(trees, first_span(at), low, high, code, escape, forget);
            if (cell.last >= high)
                break;
            at = cell.last + 1;
        }
        // The span of a tree may include cells that the index answers, because the tree has their codes too.
        // So trees are changed in a second pass, which also calls `forget` for these cells. A span may have
        // been divided, so each one is looked up again.
        for (std::uint64_t at = low; at <= high;) {
            const std::size_t i = first_span(at);
            if (i == spans_.size() || spans_[i].first > high)
                break;
            const std::uint64_t last = std::min(high, spans_[i].last);
            set_span(trees, i, std::max(at, spans_[i].first), last, code, escape, forget);
            at = last + 1;
        }
    }
    // Replaces the code `from` by `to` in [low, high], which consists of whole blocks. Call flush() first.
    void recode(tree_store& trees, std::uint64_t low, std::uint64_t high, std::uint32_t from,
                std::uint32_t to, std::uint32_t escape);
    std::uint32_t code_of(const tree_store& trees, std::uint64_t at) const;
    // Works like tree_store::sync_from(). Changes must not be waiting for flush().
    void sync_from(index_tables& active, bool were_same);
    // Compacts the lines of the trees. Call flush() first.
    void pack(tree_store& trees);
    void flush(tree_store& trees);

  private:
    friend class index_builder;

    // The addresses of the cells that share a tree.
    struct tree_span {
        std::uint64_t first;
        std::uint64_t last;
        std::uint32_t tree;
    };
    using tree_intervals = interval_editor<std::uint32_t>;
    // The key of an entry that takes no bits: the last entry that it leads to, the step that reads it, and
    // the first bit of its addresses.
    using shared_key = std::tuple<std::uint64_t, unsigned, unsigned>;
    using shared_entries = std::map<shared_key, std::uint64_t>;
    // A cell, given by the table with its entry.
    struct cell_ref {
        std::uint64_t first;
        std::uint64_t last;
        unsigned length;
        unsigned step;  // 0 for the root
        std::size_t at; // index in the root or the pages
        std::uint64_t final;
    };

    static std::uint32_t key_of(std::uint64_t position) noexcept {
        return static_cast<std::uint32_t>(position);
    }
    static std::uint64_t block_of(const tree_span& r) noexcept {
        return r.first & ~low_mask<std::uint64_t>(key_bits);
    }
    // A position as the first 64 bits of an address.
    static std::uint64_t address_of(std::uint64_t position) noexcept { return position << (64 - bits); }
    // The entry for a table of 2^stride entries in the cell of `length` bits that starts at `first`.
    static std::uint64_t entry_of(std::size_t table, unsigned stride, std::uint64_t first,
                                  unsigned length) noexcept {
        return step_entry::make(table, 64 - length - stride, address_of(first));
    }

    cell_ref find_cell(std::uint64_t position, unsigned steps) const noexcept;
    cell_ref locate(std::uint64_t position) const noexcept;
    void set_entry(const cell_ref& cell, std::uint64_t final) {
        write(cell, entry_leading_to(final, cell.step, cell.first), root_code_of(final));
    }
    static std::uint32_t root_code_of(std::uint64_t final) noexcept {
        return last_entry::is_tree(final) ? no_root_code : last_entry::code_of(final);
    }
    // `root_code` is used only for cells of the root.
    void write(const cell_ref& cell, std::uint64_t entry, std::uint32_t root_code);
    // The entries of the root and then those of the pages, in one numbering.
    std::uint64_t& entry_at(std::size_t unit) noexcept {
        return unit < root_.size() ? root_[unit] : pages_[unit - root_.size()];
    }
    void check_pages(std::size_t more) const {
        check_size(pages_.size() + more, most_entries_, "entries of an index");
    }
    void reserve_pages(std::size_t more);
    std::uint64_t entry_leading_to(std::uint64_t final, unsigned step, std::uint64_t position);
    unsigned most_bits(const cell_ref& cell) const noexcept;
    template <class Entry>
    std::uint64_t append_table(const cell_ref& cell, unsigned stride, Entry entry);
    cell_ref divide(const cell_ref& cell, unsigned stride, std::uint64_t position);

    std::size_t first_span(std::uint64_t reaching) const noexcept {
        return static_cast<std::size_t>(
            std::lower_bound(spans_.begin(), spans_.end(), reaching,
                             [](const tree_span& r, std::uint64_t at) { return r.last < at; }) -
            spans_.begin());
    }
    const tree_span* find_span(std::uint64_t over) const noexcept {
        // The ranges of a change are ascending, and many of them are in the same tree.
        if (is_open_ && spans_[open_span_].first <= over && over <= spans_[open_span_].last)
            return &spans_[open_span_];
        const std::size_t i = first_span(over);
        return i < spans_.size() && spans_[i].first <= over ? &spans_[i] : nullptr;
    }
    void open(const tree_store& trees, std::size_t span_number, std::uint32_t escape);
    void write_span(tree_store& trees, std::size_t number, const tree_intervals& intervals);
    void divide_span(tree_store& trees, std::size_t number, const tree_intervals& intervals,
                     std::uint64_t at);
    std::uint64_t division_point(const tree_span& r, const tree_intervals& intervals);

    // Changes a cell that its entry answers. If all of it changes, the entry gets the new answer; otherwise
    // the cell gets a tree.
    template <class Forget>
    void set_cell(tree_store& trees, const cell_ref& cell, std::uint64_t low, std::uint64_t high,
                  std::uint32_t code, std::uint32_t escape, Forget forget) {
        const std::uint32_t old = last_entry::code_of(cell.final);
        const tree_span* span = find_span(cell.first);
        if (low <= cell.first && cell.last <= high) {
            if (old == escape && span == nullptr)
                forget(cell.first, cell.last);
            set_entry(cell, last_entry::answer(code));
        } else if (span != nullptr) {
            set_entry(cell, last_entry::tree(span->tree));
        } else {
            flush(trees);
            const std::uint32_t last[] = {key_of(cell.last)};
            const std::uint32_t tree = trees.make(last, {&old, 1});
            ++made_trees_;
            spans_.insert(spans_.begin() + static_cast<std::ptrdiff_t>(first_span(cell.first)),
                          {cell.first, cell.last, tree});
            set_entry(cell, last_entry::tree(tree));
        }
    }

    // Changes a part of a span. A change of few ranges writes a few lines for each; a change of many ranges
    // reads and writes each tree once, as a whole.
    template <class Forget>
    void set_span(tree_store& trees, std::size_t number, std::uint64_t low, std::uint64_t high,
                  std::uint32_t code, std::uint32_t escape, Forget forget) {
        constexpr unsigned few = 16;
        const tree_span r = spans_[number];
        const std::uint64_t block = block_of(r);
        const auto forget_keys = [&](std::uint32_t first, std::uint32_t last) {
            forget(block | first, block | last);
        };
        if ((!is_open_ || open_span_ != number) && ++sets_ <= few &&
            trees.assign({r.tree, key_of(r.first), key_of(r.last)}, {key_of(low), key_of(high)}, code, escape,
                         forget_keys))
            return;
        if (is_open_ && open_span_ != number) {
            flush(trees); // may divide the open span
            number = first_span(low);
        }
        open(trees, number, escape);
        if (may_escape_)
            opened_.each_with(escape, key_of(low), key_of(high), forget_keys);
        may_escape_ |= code == escape;
        opened_.assign(key_of(low), key_of(high), code);
    }

    std::size_t most_entries_;
    unsigned root_bits_ = block_bits;
    std::vector<std::uint64_t> root_;
    std::vector<std::uint32_t> root_codes_;
    std::vector<std::uint64_t> pages_;
    std::size_t built_entries_ = 0;
    std::size_t made_trees_ = 0;   // trees made since the build
    std::vector<tree_span> spans_; // ascending and disjoint
    shared_entries shared_;
    dirty_list written_; // entries, as numbered by entry_at(); new pages are found by their numbers

    unsigned sets_ = 0; // calls of set_span() since the last flush()
    bool is_open_ = false;
    std::size_t open_span_ = 0;
    bool may_escape_ = false; // whether the open tree may have the escape code
    tree_intervals opened_;
};

} // namespace fingerpost::packed_leaves
