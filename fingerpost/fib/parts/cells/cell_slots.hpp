// A hash table from the first bits of an address to a tree, in the form that lookups read: open addressing,
// linear probing, and its own hash key. cell_map in long_prefix_levels.hpp fills it. Images contain it
// unchanged, so hash function and layout are part of their format.
//
// An attacker who wants to slow down lookups may choose the contents. So cells are hashed with a key, and no
// run of used slots is longer than most_run(): a search, whether successful or not, reads at most one slot
// more than that.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"

namespace fingerpost::cells {

template <class A>
struct cell_slot {
    A cell;                 // first address of the cell
    std::uint32_t tree = 0; // 0 in a free slot, because no cell has the tree 0
};

// The number of slots is a power of two from 2 to 2^32. At least one of them is free, so every search ends.
template <class A>
class cell_slots {
  public:
    cell_slots() = default;
    cell_slots(std::span<const cell_slot<A>> slots, unsigned bits, const hash_key& key) noexcept
        : slots_(slots.data()), size_(slots.size()), bits_(bits), key_(key) {}

    // Returns the slot at which the search for the cell of `a` starts, and prefetches it.
    std::uint32_t prefetch(A a) const noexcept {
        const std::size_t at = home(cell_first(a, bits_));
        __builtin_prefetch(&slots_[at]);
        return static_cast<std::uint32_t>(at);
    }
    // First node of the tree of the cell that contains `a`. `from` is the result of prefetch(). A missing
    // cell has the tree 0, which contains only code 0.
    std::uint32_t find(A a, std::uint32_t from) const noexcept {
        return slots_[search(cell_first(a, bits_), from)].tree;
    }

    // Slot of a cell, or the free slot in which to insert it.
    std::size_t slot_of(A cell) const noexcept { return search(cell, home(cell)); }
    std::size_t home(A cell) const noexcept { return hash_key::bucket(key_.hash(cell.value), size_); }
    std::size_t next(std::size_t at) const noexcept { return (at + 1) & (size_ - 1); }

    // With half of the slots in use and random home slots, fewer than one table in 200,000 has a longer run.
    // A run of r slots has r cells with homes in it where r / 2 are expected, with a probability below
    // e^(-0.193 r) (Chernoff), and size * e^(-0.193 most_run(size)) is below 5e-6.
    static constexpr std::size_t most_run(std::size_t size) noexcept {
        return 64 + 4 * static_cast<std::size_t>(std::bit_width(size));
    }
    // Length of the longest run of used slots. The table wraps around.
    static std::size_t longest_run(std::span<const cell_slot<A>> slots) noexcept {
        std::size_t longest = 0;
        std::size_t run = 0;
        for (std::size_t i = 0; i < 2 * slots.size(); ++i) {
            run = slots[i & (slots.size() - 1)].tree == 0 ? 0 : run + 1;
            longest = std::max(longest, run);
        }
        return longest;
    }
    // Length of the run that contains a slot.
    std::size_t run_around(std::size_t at) const noexcept {
        std::size_t run = 1;
        for (std::size_t i = next(at); slots_[i].tree != 0; i = next(i))
            ++run;
        for (std::size_t i = before(at); slots_[i].tree != 0; i = before(i))
            ++run;
        return run;
    }

  private:
    std::size_t before(std::size_t at) const noexcept { return (at - 1) & (size_ - 1); }
    std::size_t search(A cell, std::size_t at) const noexcept {
        while (slots_[at].tree != 0 && slots_[at].cell != cell)
            at = next(at);
        return at;
    }

    const cell_slot<A>* slots_ = nullptr;
    std::size_t size_ = 0;
    unsigned bits_ = 0;
    hash_key key_;
};

} // namespace fingerpost::cells
