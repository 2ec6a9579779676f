// A hash table from the first bits of an address to a tree, as lookups read it: open addressing, linear
// probing. cell_map in packed_tiers.hpp fills it; images hold it as it is, so hash and layout are part of
// their format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/coded_intervals.hpp"

namespace fingerpost {

template <class A>
struct cell_slot {
    A cell;                 // its first address
    std::uint32_t tree = 0; // 0 in a free slot: no tree of a cell lies there
};

// A power of two of slots, one of them free at least, so that every search ends.
template <class A>
class cell_slots {
  public:
    cell_slots() = default;
    cell_slots(std::span<const cell_slot<A>> slots, unsigned bits) noexcept
        : slots_(slots.data()), mask_(slots.size() - 1), bits_(bits) {}

    // The first node of the tree of the cell that `a` lies in. A cell that is not there has the tree 0, where
    // a table's first lines answer code 0.
    std::uint32_t find(A a) const noexcept { return slots_[place_of(cell_first(a, bits_))].tree; }
    void prefetch(A a) const noexcept { __builtin_prefetch(&slots_[home(cell_first(a, bits_))]); }

    // The slot of a cell, or the free one that it would get.
    std::size_t place_of(A cell) const noexcept {
        std::size_t at = home(cell);
        while (slots_[at].tree != 0 && slots_[at].cell != cell)
            at = next(at);
        return at;
    }
    std::size_t home(A cell) const noexcept {
        // Multiply-shift over both halves; the odd constants are 2^64 divided by the golden ratio and by pi.
        const std::uint64_t mixed =
            (top64(cell) ^ bottom64(cell) * 0x517cc1b727220a95u) * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(mixed >> 32) & mask_;
    }
    std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask_; }

  private:
    const cell_slot<A>* slots_ = nullptr;
    std::size_t mask_ = 0;
    unsigned bits_ = 0;
};

} // namespace fingerpost
