// Boundaries that are finer than the cells of the front: levels of cells, each with a tree.
//
//     level    cells of `outer` bits with a finer boundary: hash table -> tree over the next 32 bits
//     level    cells of outer + 32 bits with a still finer boundary, and so on up to the last bit
//
// A divided cell has the escape code in the level above.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/base/dirty_list.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/parts/cells/cell_slots.hpp"
#include "fingerpost/fib/parts/cells/cell_view.hpp"
#include "fingerpost/fib/parts/cells/trees.hpp"

namespace fingerpost::cells {

// Maps the first bits of an address to the tree of its cell, with slots that are at most half full.
//
// If a run of slots gets too long, all cells are moved to new slots with another hash key. The reason may be
// bad luck, or an attacker who knew the key. In either case the new key is independent of the cells, so an
// attempt fails with a probability of 1/200,000. After four attempts the number of slots is doubled. After
// eight attempts the result is used anyway, because searches in it end too; the probability of this is
// 10^-42.
template <class A>
class cell_map {
  public:
    using slot = cell_slot<A>;

    explicit cell_map(unsigned bits = 0, const hash_key& key = {}) : bits_(bits), key_(key), slots_(2) {}

    // Makes room for this many cells. Throws std::bad_alloc.
    void reserve(std::size_t cells) {
        std::size_t size = slots_.size();
        while (size < 2 * cells)
            size *= 2;
        if (size > slots_.size())
            refill(size, key_);
    }
    // The cell must be new.
    void insert(A cell, std::uint32_t tree) {
        reserve(count_ + 1);
        const cell_slots<A> table = view();
        const slot entry{cell_first(cell, bits_), tree};
        const std::size_t at = table.slot_of(entry.cell);
        write(at, entry);
        ++count_;
        if (table.run_around(at) > cell_slots<A>::most_run(slots_.size()))
            refill(slots_.size(), hash_key::random());
    }
    // First node of the tree for the cell of `a`, or 0 if it has none.
    std::uint32_t find(A a) const noexcept { return slots_[view().slot_of(cell_first(a, bits_))].tree; }
    // Moves slots after the gap back as long as that brings them closer to their home slots.
    void erase(A a) {
        const cell_slots<A> table = view();
        const std::size_t mask = slots_.size() - 1;
        std::size_t gap = table.slot_of(cell_first(a, bits_));
        for (std::size_t i = table.next(gap); slots_[i].tree != 0; i = table.next(i)) {
            const std::size_t home_slot = table.home(slots_[i].cell);
            if (((i - home_slot) & mask) >= ((i - gap) & mask)) {
                write(gap, slots_[i]);
                gap = i;
            }
        }
        write(gap, {});
        --count_;
        if (slots_.size() > 16 && count_ * 8 < slots_.size())
            refill(slots_.size() / 2, key_);
    }
    std::size_t size() const noexcept { return count_; }
    const hash_key& key() const noexcept { return key_; }
    std::span<const slot> slots() const noexcept { return slots_; }
    std::size_t memory_bytes() const noexcept {
        return slots_.size() * sizeof(slot) + written_.memory_bytes();
    }
    // Like tree_store::sync_from(), but without free lists.
    void sync_from(const cell_map& active, bool were_same) {
        if (were_same && active.written_.are_known())
            for (const std::uint32_t number : active.written_.list())
                slots_[number] = active.slots_[number];
        else
            slots_ = active.slots_;
        bits_ = active.bits_;
        key_ = active.key_;
        count_ = active.count_;
        written_.start(slots_.size() * sizeof(slot));
    }

  private:
    cell_slots<A> view() const noexcept { return {slots_, bits_, key_}; }
    void write(std::size_t number, const slot& entry) {
        written_.add(number);
        slots_[number] = entry;
    }
    // Moves all cells to at least this many slots, with this or another key. Throws std::bad_alloc; then
    // nothing has changed.
    void refill(std::size_t size, hash_key key) {
        constexpr unsigned attempts = 8;
        std::vector<slot> slots;
        for (unsigned attempt = 1;; ++attempt, key = hash_key::random()) {
            slots.assign(attempt > attempts / 2 ? 2 * size : size, {});
            const cell_slots<A> filled(slots, bits_, key);
            for (const slot& entry : slots_)
                if (entry.tree != 0)
                    slots[filled.slot_of(entry.cell)] = entry;
            if (attempt == attempts ||
                cell_slots<A>::longest_run(slots) <= cell_slots<A>::most_run(slots.size()))
                break;
        }
        slots_.swap(slots);
        key_ = key;
        written_.add_all();
    }

    unsigned bits_;
    hash_key key_;
    std::size_t count_ = 0;
    std::vector<slot> slots_;
    dirty_list written_; // numbers of slots
};

template <class A>
class long_prefix_levels {
    struct level {
        unsigned outer = 0;
        tree_store trees;
        cell_map<A> cells;
    };

  public:
    long_prefix_levels() = default;
    // Every long-prefix level has its own random key, unless a seed is passed.
    long_prefix_levels(unsigned outer, unsigned code_bytes, std::uint32_t escape,
                       std::optional<std::uint64_t> seed)
        : outer_(outer), code_bytes_(code_bytes), escape_(escape), seed_(seed) {}

    // Adds long-prefix levels for everything finer than `outer` bits. `finer` covers complete cells of that
    // size.
    void build(coded_intervals<A> finer) {
        for (unsigned outer = outer_; !finer.empty(); outer += key_bits) {
            auto parts = split_at_depth(std::move(finer), outer, outer + key_bits, escape_);
            add(parts.whole, outer);
            finer = std::move(parts.finer);
        }
    }

    bool empty() const noexcept { return long_levels_.empty(); }
    std::size_t memory_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const level& t : long_levels_)
            bytes += t.trees.memory_bytes() + t.cells.memory_bytes();
        return bytes;
    }
    // Memory that a rebuild would free.
    std::size_t idle_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const level& t : long_levels_)
            bytes += t.trees.idle_bytes();
        return bytes;
    }

    // See tree_store::sync_from().
    void sync_from(long_prefix_levels& active, bool were_same) {
        outer_ = active.outer_;
        code_bytes_ = active.code_bytes_;
        escape_ = active.escape_;
        seed_ = active.seed_;
        const std::size_t old = were_same ? long_levels_.size() : 0;
        long_levels_.resize(active.long_levels_.size());
        for (std::size_t i = 0; i < long_levels_.size(); ++i) {
            long_levels_[i].outer = active.long_levels_[i].outer;
            long_levels_[i].trees.sync_from(active.long_levels_[i].trees, i < old);
            long_levels_[i].cells.sync_from(active.long_levels_[i].cells, i < old);
        }
    }

    // Arrays of a long-prefix level that lookups read.
    std::size_t size() const noexcept { return long_levels_.size(); }
    long_level_arrays<A> arrays(std::size_t depth) const noexcept {
        const level& t = long_levels_[depth];
        return {t.cells.slots(), t.cells.key(), t.trees.bytes(), t.trees.levels()};
    }

    // Sets the code of [first, last], which is within one cell of long-prefix level `depth`. `whole` is the
    // code of the cell in the level above. Returns its new code there: the escape, or the code of the entire
    // cell.
    std::uint32_t assign(std::size_t depth, A first, A last, std::uint32_t code, std::uint32_t whole) {
        if (depth == long_levels_.size())
            long_levels_.push_back(make_long_level(outer_of(depth), 2, 0));
        interval_editor<std::uint32_t> run = read(long_levels_[depth], first, whole);
        const unsigned inner = std::min(outer_of(depth + 1), A::bits);
        assign_cells<A>(first, last, inner, [&](A from, A to, bool part) {
            const std::uint32_t low = key_of(long_levels_[depth], from);
            const std::uint32_t high = key_of(long_levels_[depth], to);
            if (part)
                return run.assign(low, low, assign(depth + 1, from, to, code, run.code_of(low)));
            run.each_with(escape_, low, high, [&](std::uint32_t cut_low, std::uint32_t cut_high) {
                erase_cells(depth + 1, from, cut_low, cut_high, run.step);
            });
            run.assign(low, high, code);
        });
        return write(long_levels_[depth], first, run, whole);
    }
    // Replaces the code `from` by `to` in the cells within [first, last].
    void recode(A first, A last, std::uint32_t from, std::uint32_t to) {
        for (level& t : long_levels_)
            for (const cell_slot<A>& slot : t.cells.slots())
                if (slot.tree != 0 && first <= slot.cell && slot.cell <= last)
                    t.trees.recode(slot.tree, from, to);
    }
    // Removes a cell with the escape code at level `depth`.
    void erase(std::size_t depth, A cell) {
        interval_editor<std::uint32_t> run = read(long_levels_[depth], cell, escape_);
        run.each_with(escape_, 0, run.last(), [&](std::uint32_t low, std::uint32_t high) {
            erase_cells(depth + 1, cell, low, high, run.step);
        });
        level& t = long_levels_[depth];
        t.trees.erase(t.cells.find(cell));
        t.cells.erase(cell);
    }

    // Calls set(first, last, is_part) for the pieces of [first, last]: all complete cells of `inner` bits as
    // one piece, and a separate piece for an incomplete cell at either end.
    template <class Address, class Set>
    static void assign_cells(Address first, Address last, unsigned inner, Set set) {
        using value = typename Address::value_type;
        if (first != cell_first(first, inner)) {
            const Address end = cell_last(first, inner);
            if (last <= end)
                return set(first, last, true);
            set(first, end, true);
            first = Address{static_cast<value>(end.value + 1)};
        }
        if (last != cell_last(last, inner)) {
            const Address start = cell_first(last, inner);
            if (first < start)
                set(first, Address{static_cast<value>(start.value - 1)}, false);
            return set(start, last, true);
        }
        set(first, last, false);
    }

  private:
    unsigned outer_of(std::size_t depth) const noexcept {
        return outer_ + static_cast<unsigned>(depth) * key_bits;
    }
    static std::uint32_t key_of(const level& t, A a) noexcept {
        return static_cast<std::uint32_t>(slice(a, t.outer, key_bits));
    }
    static std::uint32_t last_key(const level& t, A a) noexcept { return key_of(t, cell_last(a, t.outer)); }

    level make_long_level(unsigned outer, unsigned levels, std::size_t intervals) const {
        const hash_key key = seed_ ? hash_key(*seed_) : hash_key::random();
        return {outer, tree_store(code_bytes_, levels, intervals), cell_map<A>(outer, key)};
    }
    void add(const coded_intervals<A>& intervals, unsigned outer) {
        std::vector<std::size_t> ends; // end of the intervals of each cell
        std::size_t largest = 0;
        for (std::size_t i = 0; i < intervals.size(); ++i)
            if (intervals.ends[i] == cell_last(intervals.ends[i], outer)) {
                largest = std::max(largest, i + 1 - (ends.empty() ? 0 : ends.back()));
                ends.push_back(i + 1);
            }
        unsigned levels = 1;
        while (tree_store::capacity(levels, code_bytes_) < largest)
            ++levels;
        level added = make_long_level(outer, levels, intervals.size());
        added.cells.reserve(ends.size());
        std::vector<std::uint32_t> keys;
        std::size_t begin = 0;
        for (const std::size_t end : ends) {
            keys.clear();
            for (std::size_t i = begin; i < end; ++i)
                keys.push_back(key_of(added, intervals.ends[i]));
            const auto codes = std::span(intervals.codes).subspan(begin, end - begin);
            added.cells.insert(intervals.ends[begin], added.trees.make(keys, codes));
            begin = end;
        }
        added.trees.shrink();
        long_levels_.push_back(std::move(added));
    }

    interval_editor<std::uint32_t> read(const level& t, A cell, std::uint32_t whole) const {
        interval_editor<std::uint32_t> run;
        if (t.outer + key_bits > A::bits)
            run.step = std::uint32_t{1} << (t.outer + key_bits - A::bits);
        if (whole == escape_)
            t.trees.read(t.cells.find(cell), last_key(t, cell), run.ends, run.codes);
        else
            run.push(last_key(t, cell), whole);
        return run;
    }
    std::uint32_t write(level& t, A cell, const interval_editor<std::uint32_t>& run, std::uint32_t whole) {
        const bool is_one = run.size() == 1 && run.codes[0] != escape_;
        if (whole == escape_ && is_one) {
            t.trees.erase(t.cells.find(cell));
            t.cells.erase(cell);
        } else if (whole == escape_) {
            t.trees.rewrite(t.cells.find(cell), run.ends, run.codes);
        } else if (!is_one) {
            t.cells.insert(cell, t.trees.make(run.ends, run.codes));
        }
        return is_one ? run.codes[0] : escape_;
    }
    // Removes cells of level `depth` by their keys in the tree above that contains `inside`.
    void erase_cells(std::size_t depth, A inside, std::uint32_t low, std::uint32_t high, std::uint32_t step) {
        const unsigned outer = outer_of(depth);
        for (std::uint32_t key = low;; key += step) {
            using value = typename A::value_type;
            const A above = cell_first(inside, outer - key_bits);
            erase(depth, A{static_cast<value>(above.value | static_cast<value>(key) << (A::bits - outer))});
            if (key == high)
                break;
        }
    }

    unsigned outer_ = 0;
    unsigned code_bytes_ = 1;
    std::uint32_t escape_ = 0;
    std::optional<std::uint64_t> seed_;
    std::vector<level> long_levels_;
};

} // namespace fingerpost::cells
