// The index of packed leaves: three table steps from an address to its answer or to the tree of its interval.
//
// A root table over the first bits, then two tables of strides that the builder picks, then trees of at most
// 2,816 intervals (with codes of two bytes). A cell is what an entry stands for: the addresses that share the
// bits taken so far. Cells side by side in one table whose intervals fit one tree share it.
//
//     root    2^8 to 2^16 entries, the same for all addresses
//     table   2^s entries for a cell of the root, s for each such cell by itself
//     table   2^s entries for a cell that still has too many intervals: as few as divide it up
//
// The builder leaves a sixteenth of a tree for changes: with a quarter the tables grew by 50 KB, and lookups
// took a tenth longer.
//
// Every lookup makes all three steps. An answer or a tree that is known earlier is reached over entries that
// take no bits, which all that lead to the same share.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/written_units.hpp"
#include "fingerpost/fib/interval_run.hpp"
#include "fingerpost/fib/packed_trees.hpp"
#include "fingerpost/simd/packed.hpp"

namespace fingerpost {

// The tables, and which trees lie below them. Positions are numbers of 48 bits. What runs out throws, as in
// packed_trees.
class packed_index {
  public:
    static constexpr unsigned bits = simd::packed_key_at + simd::packed_key_bits;
    // A tree tells addresses apart by the bits behind these, so it stays within one such block.
    static constexpr unsigned block_bits = simd::packed_key_at;

    std::span<const std::uint32_t> root() const noexcept { return root_; }
    std::span<const std::uint32_t> pages() const noexcept { return pages_; }
    unsigned root_shift() const noexcept { return 32 - root_bits_; }
    std::size_t memory_bytes() const noexcept {
        return (root_.capacity() + pages_.capacity()) * sizeof(std::uint32_t) +
               runs_.capacity() * sizeof(run) + wide_answers_.capacity() * sizeof(std::uint32_t) +
               written_.memory_bytes();
    }

    // What changes have taken that building anew may do without: new tables, and the nodes of trees that only
    // one cell has.
    std::size_t grown_bytes() const noexcept {
        return (pages_.capacity() - built_entries_) * sizeof(std::uint32_t) +
               made_trees_ * simd::packed_levels * simd::packed_line;
    }

    // Gives [low, high] this code. `forget` is called with the parts of it that had the code `escape`. Trees
    // are up to date after flush().
    template <class Forget>
    void assign(packed_trees& trees, std::uint64_t low, std::uint64_t high, std::uint32_t code,
                std::uint32_t escape, Forget forget) {
        for (std::uint64_t at = low;;) {
            place cell = locate(at);
            if (cell.length < block_bits && (cell.first < low || high < cell.last))
                cell = divide(cell, at);
            if ((cell.final & simd::packed_done_bit) != 0) {
                set_cell(trees, cell, low, high, code, escape, forget);
            } else if (const run* const over_it = find_run(at); over_it == nullptr) {
                throw std::length_error("a cell with an answer too wide for its entry");
            } else if (at == low && cell.last >= high) {
                // Nearly every change falls into one cell and ends here.
                return set_run(trees, static_cast<std::size_t>(over_it - runs_.data()), low, high, code,
                               escape, forget);
            }
            if (cell.last >= high)
                break;
            at = cell.last + 1;
        }
        for (std::size_t i = first_run(low); i < runs_.size() && runs_[i].first <= high; ++i)
            set_run(trees, i, std::max(low, runs_[i].first), std::min(high, runs_[i].last), code, escape,
                    forget);
    }
    std::uint32_t code_of(const packed_trees& trees, std::uint64_t at) const {
        const place cell = locate(at);
        if ((cell.final & simd::packed_done_bit) != 0)
            return cell.final >> 1;
        const run* const over_it = find_run(at);
        if (over_it == nullptr)
            throw std::length_error("a cell with an answer too wide for its entry");
        if (is_open_ && over_it == &runs_[open_run_])
            return opened_.code_of(key_of(at));
        return trees.code_of(over_it->tree, key_of(over_it->first), key_of(over_it->last), key_of(at));
    }
    // As packed_trees::follow(); nothing waits for flush().
    void follow(packed_index& leader, bool were_same) {
        if (were_same && leader.written_.are_known()) {
            pages_.reserve(leader.pages_.capacity());
            for (std::size_t i = pages_.size(); i < leader.pages_.size(); ++i)
                pages_.push_back(leader.pages_[i]);
            for (const std::uint32_t unit : leader.written_.list())
                entry_at(unit) = leader.entry_at(unit);
        } else {
            root_ = leader.root_;
            pages_ = leader.pages_;
            root_bits_ = leader.root_bits_;
        }
        built_entries_ = leader.built_entries_;
        made_trees_ = leader.made_trees_;
        std::swap(runs_, leader.runs_);
        std::swap(wide_answers_, leader.wide_answers_);
        std::swap(shared_, leader.shared_);
        written_.start((root_.size() + pages_.size()) * sizeof(std::uint32_t));
    }
    // Writes the trees anew, side by side; after flush().
    void pack(packed_trees& trees) const {
        std::vector<packed_trees::whole_tree> all;
        all.reserve(wide_answers_.size() + runs_.size());
        for (const std::uint32_t tree : wide_answers_)
            all.push_back({tree, ~std::uint32_t{0}});
        for (const run& r : runs_)
            all.push_back({r.tree, key_of(r.last)});
        trees.pack(std::move(all));
    }
    void flush(packed_trees& trees) {
        if (is_open_)
            trees.rewrite(runs_[open_run_].tree, opened_.ends, opened_.codes);
        is_open_ = false;
        sets_ = 0;
    }

  private:
    friend class index_builder;

    // The cells that share a tree, by their addresses.
    struct run {
        std::uint64_t first;
        std::uint64_t last;
        std::uint32_t tree;
    };
    // A cell of the table that holds its entry.
    struct place {
        std::uint64_t first;
        std::uint64_t last;
        unsigned length;
        unsigned step;  // 0 for the root
        std::size_t at; // in the root or the pages
        std::uint32_t final;
    };

    static std::uint32_t key_of(std::uint64_t position) noexcept {
        return static_cast<std::uint32_t>(position);
    }
    static unsigned shift_of(std::uint32_t entry) noexcept { return entry & simd::packed_entry::shift_mask; }
    static std::size_t table_of(std::uint32_t entry) noexcept {
        return entry >> simd::packed_entry::shift_bits;
    }
    static std::uint32_t entry_of(std::size_t table, unsigned shift) {
        if (table >= simd::packed_entry::most_entries)
            throw std::length_error("index entries");
        return static_cast<std::uint32_t>(table << simd::packed_entry::shift_bits) | shift;
    }

    place locate(std::uint64_t position) const noexcept {
        place cell{0, 0, root_bits_, 0, static_cast<std::size_t>(position >> (bits - root_bits_)), 0};
        std::uint32_t entry = root_[cell.at];
        for (; cell.step < simd::packed_steps && shift_of(entry) != 32; ++cell.step) {
            const unsigned stride = 32 - shift_of(entry);
            cell.length += stride;
            cell.at = table_of(entry) + static_cast<std::size_t>(position >> (bits - cell.length) &
                                                                 low_mask<std::uint64_t>(stride));
            entry = pages_[cell.at];
        }
        for (unsigned step = cell.step; step < simd::packed_steps; ++step)
            entry = pages_[table_of(entry)];
        cell.final = entry;
        cell.last = position | low_mask<std::uint64_t>(bits - cell.length);
        cell.first = cell.last - low_mask<std::uint64_t>(bits - cell.length);
        return cell;
    }
    void set_entry(const place& cell, std::uint32_t final) { write(cell, over(final, cell.step)); }
    void write(const place& cell, std::uint32_t entry) {
        const std::size_t unit = cell.step == 0 ? cell.at : root_.size() + cell.at;
        written_.add(unit);
        entry_at(unit) = entry;
    }
    // The root's entries and those of the pages, counted through.
    std::uint32_t& entry_at(std::size_t unit) noexcept {
        return unit < root_.size() ? root_[unit] : pages_[unit - root_.size()];
    }
    // The entry of a table read in step `step` (0 for the root) from which the last step gives `final`.
    std::uint32_t over(std::uint32_t final, unsigned step) {
        if (step == simd::packed_steps)
            return final;
        const auto [at, is_new] = shared_.try_emplace({final, step});
        if (is_new) {
            const std::uint32_t next = over(final, step + 1);
            if (pages_.size() == pages_.capacity())
                pages_.reserve(pages_.size() * 17 / 16 + 16);
            pages_.push_back(next);
            at->second = entry_of(pages_.size() - 1, 32);
        }
        return at->second;
    }

    std::size_t first_run(std::uint64_t reaching) const noexcept {
        return static_cast<std::size_t>(
            std::lower_bound(runs_.begin(), runs_.end(), reaching,
                             [](const run& r, std::uint64_t at) { return r.last < at; }) -
            runs_.begin());
    }
    const run* find_run(std::uint64_t over) const noexcept {
        // Ranges of a change come in order, many of them in the same tree.
        if (is_open_ && runs_[open_run_].first <= over && over <= runs_[open_run_].last)
            return &runs_[open_run_];
        const std::size_t i = first_run(over);
        return i < runs_.size() && runs_[i].first <= over ? &runs_[i] : nullptr;
    }
    void open(const packed_trees& trees, std::size_t run_number, std::uint32_t escape) {
        if (is_open_ && open_run_ == run_number)
            return;
        if (is_open_)
            flush(const_cast<packed_trees&>(trees));
        const run& r = runs_[run_number];
        opened_.clear();
        opened_.first = key_of(r.first);
        trees.read(r.tree, key_of(r.last), opened_.ends, opened_.codes);
        may_escape_ = std::find(opened_.codes.begin(), opened_.codes.end(), escape) != opened_.codes.end();
        open_run_ = run_number;
        is_open_ = true;
    }

    // A cell that is wider than a tree may be becomes a table of cells that are not; the one with `position`.
    place divide(const place& cell, std::uint64_t position) {
        if (cell.step == simd::packed_steps)
            throw std::length_error("a cell wider than a tree in the last table");
        const std::uint32_t part = over(cell.final, cell.step + 1);
        const std::size_t table = pages_.size();
        const unsigned stride = block_bits - cell.length;
        pages_.resize(table + (std::size_t{1} << stride), part);
        write(cell, entry_of(table, 32 - stride));
        return locate(position);
    }
    // A cell that its entry answers: answered anew when all of it changes, else by a tree from now on.
    template <class Forget>
    void set_cell(packed_trees& trees, const place& cell, std::uint64_t low, std::uint64_t high,
                  std::uint32_t code, std::uint32_t escape, Forget forget) {
        const std::uint32_t old = cell.final >> 1;
        const run* over_it = find_run(cell.first);
        if (low <= cell.first && cell.last <= high) {
            if (old == escape && over_it == nullptr)
                forget(cell.first, cell.last);
            if (code >> 31 != 0)
                throw std::length_error("an answer too wide for an entry");
            set_entry(cell, code << 1 | simd::packed_done_bit);
        } else if (over_it != nullptr) {
            set_entry(cell, over_it->tree);
        } else {
            flush(trees);
            const std::uint32_t last[] = {key_of(cell.last)};
            const std::uint32_t tree = trees.make(last, {&old, 1});
            ++made_trees_;
            runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(first_run(cell.first)),
                         {cell.first, cell.last, tree});
            set_entry(cell, tree);
        }
    }

    // Part of a run. A change of few ranges writes a few lines for each; one of many reads and writes whole
    // trees, each once.
    template <class Forget>
    void set_run(packed_trees& trees, std::size_t number, std::uint64_t low, std::uint64_t high,
                 std::uint32_t code, std::uint32_t escape, Forget forget) {
        constexpr unsigned few = 16;
        const run& r = runs_[number];
        const std::uint64_t block = r.first & ~low_mask<std::uint64_t>(simd::packed_key_bits);
        const auto forget_keys = [&](std::uint32_t first, std::uint32_t last) {
            forget(block | first, block | last);
        };
        if ((!is_open_ || open_run_ != number) && ++sets_ <= few) {
            trees.assign(r.tree, key_of(r.first), key_of(r.last), key_of(low), key_of(high), code, escape,
                         forget_keys);
            return;
        }
        open(trees, number, escape);
        if (may_escape_)
            opened_.each_with(escape, key_of(low), key_of(high), forget_keys);
        may_escape_ |= code == escape;
        opened_.assign(key_of(low), key_of(high), code);
    }

    unsigned root_bits_ = block_bits;
    std::vector<std::uint32_t> root_;
    std::vector<std::uint32_t> pages_;
    std::size_t built_entries_ = 0;
    std::size_t made_trees_ = 0;              // since then
    std::vector<run> runs_;                   // ascending and apart
    std::vector<std::uint32_t> wide_answers_; // trees of one interval, for answers that no entry can say
    std::map<std::pair<std::uint32_t, unsigned>, std::uint32_t> shared_;
    written_units written_; // entries, as entry_at() counts them; new pages show by their number

    unsigned sets_ = 0; // calls of set_run since the last flush
    bool is_open_ = false;
    std::size_t open_run_ = 0;
    bool may_escape_ = false; // whether the open tree may have the escape code
    interval_run<std::uint32_t> opened_;
};

// Builds the index over intervals of the space of 48 bits, and writes their trees.
class index_builder {
  public:
    // Inclusive ends in ascending order, the last of them all ones. Both must outlive the builder.
    index_builder(std::span<const std::uint64_t> ends, std::span<const std::uint32_t> codes,
                  packed_trees& trees)
        : ends_(ends), codes_(codes), trees_(trees), capacity_(trees.capacity() * 15 / 16) {
        find_divided();
        find_crowds();
        choose_root();
    }

    packed_index build() {
        const unsigned root_bits = index_.root_bits_;
        index_.root_.resize(std::size_t{1} << root_bits);
        std::size_t interval = 0;
        for (std::size_t i = 0; i < index_.root_.size(); ++i) {
            const cell whole{std::uint64_t{i} << (bits - root_bits), root_bits};
            const std::size_t last = interval_of(whole.last(), interval);
            if (last == interval)
                index_.root_[i] = index_.over(answer(codes_[interval]), 0);
            else if (const unsigned stride = best_stride(whole).stride; stride > 0)
                index_.root_[i] = table(whole, stride, interval, 1);
            else
                index_.root_[i] = index_.over(tree(interval, last, whole.first, whole.last()), 0);
            interval = after(last, whole.last());
        }
        index_.pages_.shrink_to_fit();
        index_.built_entries_ = index_.pages_.capacity();
        return std::move(index_);
    }

  private:
    static constexpr unsigned bits = packed_index::bits;
    static constexpr unsigned block_bits = packed_index::block_bits;
    static constexpr unsigned most_stride = 14;

    struct cell {
        std::uint64_t first;
        unsigned length; // bits that its addresses share
        std::uint64_t last() const { return first | low_mask<std::uint64_t>(bits - length); }
    };
    // As many intervals as a tree may hold end among the addresses that share `apart` - 1 bits with `first`.
    struct crowd {
        std::uint64_t first;
        unsigned apart;
        friend auto operator<=>(const crowd&, const crowd&) = default;
    };
    struct choice {
        unsigned stride = 0; // 0 for no table
        std::size_t entries = 0;
    };

    static std::uint64_t head(std::uint64_t value, unsigned length) {
        return value & ~low_mask<std::uint64_t>(bits - length);
    }

    // The blocks in which an interval ends before the block does, and those that end with an interval.
    void find_divided() {
        std::uint64_t previous = ~std::uint64_t{0};
        for (const std::uint64_t end : ends_) {
            const std::uint64_t number = end >> (bits - block_bits);
            if (number != previous)
                blocks_.push_back({head(end, block_bits), end});
            previous = number;
        }
    }
    void find_crowds() {
        for (std::size_t i = 0; i + capacity_ <= ends_.size(); ++i) {
            const std::uint64_t differ = ends_[i] ^ ends_[i + capacity_ - 1];
            const unsigned apart = static_cast<unsigned>(std::countl_zero(differ << (64 - bits))) + 1;
            const crowd found{head(ends_[i], apart - 1), apart};
            if (crowds_.empty() || crowds_.back() != found)
                crowds_.push_back(found);
        }
        std::sort(crowds_.begin(), crowds_.end());
        crowds_.erase(std::unique(crowds_.begin(), crowds_.end()), crowds_.end());
    }

    // The root that, with the tables below it, takes the fewest entries.
    void choose_root() {
        std::size_t fewest = ~std::size_t{0};
        for (unsigned candidate = 8; candidate <= block_bits; candidate += 2) {
            std::size_t entries = std::size_t{1} << candidate;
            for (std::size_t i = 0; i < blocks_.size() && entries < fewest;) {
                const cell whole{head(blocks_[i].first, candidate), candidate};
                const bool divided = blocks_[i].first_end != whole.last();
                if (divided)
                    entries += best_stride(whole).entries;
                while (i < blocks_.size() && blocks_[i].first <= whole.last())
                    ++i;
            }
            if (entries < fewest) {
                fewest = entries;
                index_.root_bits_ = candidate;
            }
        }
    }

    // How to divide a cell of the root that more than one interval shares.
    choice best_stride(const cell& whole) const {
        const auto first = crowds_from(whole.first);
        const auto last = crowds_from(whole.last() + 1);
        const bool crowded = std::any_of(first, last, [&](const crowd& c) { return c.apart > whole.length; });
        if (whole.length >= block_bits && !crowded)
            return {};
        choice best{0, ~std::size_t{0}};
        const unsigned least = whole.length < block_bits ? block_bits - whole.length : 1;
        for (unsigned stride = least; stride <= most_stride; ++stride) {
            const std::size_t entries =
                (std::size_t{1} << stride) + entries_below(whole.length + stride, first, last);
            if (entries < best.entries)
                best = {stride, entries};
        }
        return best;
    }
    using crowd_iterator = std::vector<crowd>::const_iterator;
    crowd_iterator crowds_from(std::uint64_t first) const {
        return std::lower_bound(crowds_.begin(), crowds_.end(), first,
                                [](const crowd& c, std::uint64_t at) { return c.first < at; });
    }
    // The tables that cells of `length` bits need where crowds are.
    std::size_t entries_below(unsigned length, crowd_iterator first, crowd_iterator last) const {
        std::size_t entries = 0;
        while (first != last) {
            const std::uint64_t at = head(first->first, length);
            unsigned apart = 0;
            for (; first != last && head(first->first, length) == at; ++first)
                apart = std::max(apart, first->apart);
            if (apart > length)
                entries += std::size_t{1} << (apart - length);
        }
        return entries;
    }
    unsigned stride_to_part(const cell& whole) const {
        unsigned apart = whole.length + 1;
        for (auto c = crowds_from(whole.first); c != crowds_.end() && c->first <= whole.last(); ++c)
            apart = std::max(apart, c->apart);
        return apart - whole.length;
    }

    // The interval that an address falls into, not before `from`.
    std::size_t interval_of(std::uint64_t address, std::size_t from) const {
        while (ends_[from] < address)
            ++from;
        return from;
    }
    // The interval of the address after `last`.
    std::size_t after(std::size_t interval, std::uint64_t last) const {
        return ends_[interval] == last && interval + 1 < ends_.size() ? interval + 1 : interval;
    }

    // A table of 2^stride entries for a cell whose first address is in `interval`; it is read in step `step`.
    std::uint32_t table(const cell& whole, unsigned stride, std::size_t interval, unsigned step) {
        const std::size_t base = index_.pages_.size();
        const std::size_t size = std::size_t{1} << stride;
        index_.pages_.resize(base + size);
        const auto part = [&](std::size_t i) {
            const unsigned length = whole.length + stride;
            return cell{whole.first + (std::uint64_t{i} << (bits - length)), length};
        };
        for (std::size_t i = 0; i < size;) {
            const cell one = part(i);
            const std::size_t last = interval_of(one.last(), interval);
            if (last - interval >= capacity_) { // only above the last step: there the stride parts all crowds
                const std::uint32_t entry = table(one, stride_to_part(one), interval, step + 1);
                index_.pages_[base + i++] = entry;
                interval = after(last, one.last());
                continue;
            }
            std::size_t run = i;
            interval = share_tree(part, size, run, interval, base, step);
            i = run;
        }
        return packed_index::entry_of(base, 32 - stride);
    }

    // As many cells from `i` on as fit one tree; `i` becomes the first that does not. Returns its interval.
    template <class Part>
    std::size_t share_tree(Part part, std::size_t size, std::size_t& i, std::size_t interval,
                           std::size_t base, unsigned step) {
        const std::uint64_t number = part(i).first >> (bits - block_bits);
        const std::size_t first = interval;
        const std::uint64_t start = part(i).first;
        std::uint64_t reach = 0;
        std::size_t reached = interval;
        std::vector<std::size_t> cut; // cells that the index alone does not answer
        std::size_t at = i;
        for (; at < size; ++at) {
            const cell one = part(at);
            const std::size_t last = interval_of(one.last(), interval);
            if (last - first >= capacity_ || one.first >> (bits - block_bits) != number)
                break;
            if (last != interval)
                cut.push_back(at);
            else
                index_.pages_[base + at] = index_.over(answer(codes_[interval]), step);
            reach = one.last();
            reached = last;
            interval = after(last, reach);
        }
        if (!cut.empty()) {
            const std::uint32_t entry = index_.over(tree(first, reached, start, reach), step);
            for (const std::size_t one : cut)
                index_.pages_[base + one] = entry;
        }
        i = at;
        return interval;
    }

    // The tree of the intervals `first` to `last` from `start` to `reach`.
    std::uint32_t tree(std::size_t first, std::size_t last, std::uint64_t start, std::uint64_t reach) {
        keys_.clear();
        for (std::size_t i = first; i <= last; ++i)
            keys_.push_back(static_cast<std::uint32_t>(std::min(ends_[i], reach)));
        const std::uint32_t made = trees_.make(keys_, codes_.subspan(first, last - first + 1));
        index_.runs_.push_back({start, reach, made});
        return made;
    }
    // What the last step gives for an answer that needs no tree; one that does not fit an entry gets one.
    std::uint32_t answer(std::uint32_t code) {
        if (code >> 31 == 0)
            return code << 1 | simd::packed_done_bit;
        const auto [at, is_new] = wide_answers_.try_emplace(code);
        if (is_new) {
            const std::uint32_t whole[] = {~std::uint32_t{0}};
            at->second = trees_.make(whole, {&code, 1});
            index_.wide_answers_.push_back(at->second);
        }
        return at->second;
    }
    struct block {
        std::uint64_t first;
        std::uint64_t first_end; // the first end in it
    };

    std::span<const std::uint64_t> ends_;
    std::span<const std::uint32_t> codes_;
    packed_trees& trees_;
    std::size_t capacity_;
    packed_index index_;
    std::vector<block> blocks_; // blocks that an end lies in
    std::vector<crowd> crowds_; // ascending
    std::vector<std::uint32_t> keys_;
    std::map<std::uint32_t, std::uint32_t> wide_answers_;
};

} // namespace fingerpost
