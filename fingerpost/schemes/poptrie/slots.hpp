// A node expanded to its slots, as builds and changes use it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "fingerpost/rib/change.hpp"
#include "fingerpost/schemes/poptrie/view.hpp"

namespace fingerpost::poptrie {

inline constexpr unsigned slot_count = 1u << stride;

// The content of a slot: a code or a node.
template <class Node>
struct content {
    bool is_node = false;
    std::uint32_t code = 0;
    Node below{};
};

template <class Node>
constexpr content<Node> leaf_of(std::uint32_t code) noexcept {
    return {.code = code};
}
template <class Node>
constexpr content<Node> node_of(const Node& below) noexcept {
    return {.is_node = true, .below = below};
}

// All 64 slots. On the last level, slots after the end of the address have the code of the slot before them.
template <class Node>
struct slot_array {
    std::uint64_t vector = 0;
    std::array<std::uint32_t, slot_count> codes; // codes of slots without a bit in `vector`
    std::array<Node, slot_count> below;          // nodes of slots with a bit in `vector`

    content<Node> at(unsigned slot) const noexcept {
        return (vector >> slot & 1) != 0 ? node_of(below[slot]) : leaf_of<Node>(codes[slot]);
    }
    void set(unsigned slot, unsigned slots_alike, const content<Node>& value) noexcept {
        const std::uint64_t bit = std::uint64_t{1} << slot;
        vector = value.is_node ? vector | bit : vector & ~bit;
        if (value.is_node)
            below[slot] = value.below;
        else
            std::fill_n(codes.begin() + slot, slots_alike, value.code);
    }
    // The starts of runs of equal leaves. Slots with a child do not end a run.
    std::uint64_t runs() const noexcept {
        std::uint64_t starts = 0;
        std::uint64_t last = std::uint64_t{1} << 32; // a value that is not a code
        for (unsigned slot = 0; slot < slot_count; ++slot) {
            if ((vector >> slot & 1) != 0 || codes[slot] == last)
                continue;
            starts |= std::uint64_t{1} << slot;
            last = codes[slot];
        }
        return starts;
    }
};

// The addresses that share their first `length` bits with `first`, divided into slots by the next `count`
// bits, or by fewer if the address ends before.
template <class A>
class slot_geometry {
    using value = typename A::value_type;

  public:
    slot_geometry(A first, unsigned length, unsigned count) noexcept
        : first_(first), length_(length), bits_(std::min(count, A::bits - length)), padding_(count - bits_) {}

    // Number of values of a step's bits that mean the same address, if each slot has one address.
    unsigned slots_alike() const noexcept { return 1u << padding_; }
    unsigned end() const noexcept { return 1u << (bits_ + padding_); }
    unsigned length() const noexcept { return length_; }
    unsigned border() const noexcept { return length_ + bits_; }
    A first_of(unsigned slot) const noexcept {
        const auto inside = static_cast<value>(slot >> padding_);
        return A{static_cast<value>(first_.value | shift_left(inside, A::bits - border()))};
    }
    A last_of(unsigned slot) const noexcept {
        return A{static_cast<value>(first_of(slot).value | low_mask<value>(A::bits - border()))};
    }
    // The slot of an address, or the first or last slot for an address before or after the region.
    unsigned slot_of(A a) const noexcept {
        const A last{static_cast<value>(first_.value | low_mask<value>(A::bits - length_))};
        const A inside = std::clamp(a, first_, last);
        return static_cast<unsigned>(slice(inside, length_, bits_)) << padding_;
    }

    // Calls each(slot, ranges) for every slot that ranges overlap, with these ranges.
    template <class Each>
    void for_each_reached(std::span<const address_range<A>> ranges, Each each) const {
        unsigned next = 0;
        while (!ranges.empty() && next < end()) {
            const unsigned slot = std::max(next, slot_of(ranges.front().first));
            const A last = last_of(slot);
            std::size_t reach = 0;
            while (reach < ranges.size() && !(last < ranges[reach].first))
                ++reach;
            each(slot, ranges.first(reach));
            next = slot + slots_alike();
            std::size_t passed = 0;
            while (passed < ranges.size() && !(last < ranges[passed].last))
                ++passed;
            ranges = ranges.subspan(passed);
        }
    }

  private:
    A first_;
    unsigned length_, bits_, padding_;
};

} // namespace fingerpost::poptrie
