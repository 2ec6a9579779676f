// A hash table from the first bits of an address to a tree, as lookups read it: open addressing, linear
// probing, a key of its own. cell_map in long-prefix levels.hpp fills it; images hold it as it is, so hash
// and layout are part of their format.
//
// What is in it may come from somebody who wants lookups to be slow. So cells are hashed with a key, and no
// run of taken slots is longer than most_run(): no search, of a cell that is there or of another, looks at
// more slots than that and one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"

namespace fingerpost::packed_leaves {

template <class A>
struct cell_slot {
    A cell;                 // its first address
    std::uint32_t tree = 0; // 0 in a free slot: no tree of a cell lies there
};

// A power of two of slots, 2 to 2^32, one of them free at least, so that every search ends.
template <class A>
class cell_slots {
  public:
    cell_slots() = default;
    cell_slots(std::span<const cell_slot<A>> slots, unsigned bits, const hash_key& key) noexcept
        : slots_(slots.data()), size_(slots.size()), bits_(bits), key_(key) {}

    // Where the search for the cell that `a` lies in starts. Asks for that slot.
    std::uint32_t prefetch(A a) const noexcept {
        const std::size_t at = home(cell_first(a, bits_));
        __builtin_prefetch(&slots_[at]);
        return static_cast<std::uint32_t>(at);
    }
    // The first node of the tree of the cell that `a` lies in; `from` is what prefetch() said. A cell that is
    // not there has the tree 0, where a table's first lines answer code 0.
    std::uint32_t find(A a, std::uint32_t from) const noexcept {
        return slots_[search(cell_first(a, bits_), from)].tree;
    }

    // The slot of a cell, or the free one that it would get.
    std::size_t slot_of(A cell) const noexcept { return search(cell, home(cell)); }
    std::size_t home(A cell) const noexcept { return hash_key::bucket(key_.hash(cell.value), size_); }
    std::size_t next(std::size_t at) const noexcept { return (at + 1) & (size_ - 1); }

    // With half of the slots taken and homes by chance the longest of all runs is longer than this in fewer
    // than one table in 200,000: a run of r slots has r cells with homes in it where r / 2 are expected, and
    // that is rarer than e^(-0.193 r) (Chernoff); size * e^(-0.193 most_run(size)) is below 5e-6.
    static constexpr std::size_t most_run(std::size_t size) noexcept {
        return 64 + 4 * static_cast<std::size_t>(std::bit_width(size));
    }
    // The longest run of taken slots; the first ones follow the last.
    static std::size_t longest_run(std::span<const cell_slot<A>> slots) noexcept {
        std::size_t longest = 0;
        std::size_t run = 0;
        for (std::size_t i = 0; i < 2 * slots.size(); ++i) {
            run = slots[i & (slots.size() - 1)].tree == 0 ? 0 : run + 1;
            longest = std::max(longest, run);
        }
        return longest;
    }
    // The run that a slot lies in.
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

} // namespace fingerpost::packed_leaves
