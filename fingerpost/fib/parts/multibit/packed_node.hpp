// Compact forms of a multibit trie's nodes. If the slots of a node are a few runs of equal ones, the node
// stores the runs. If there is no branch for some bits, a path stores these bits and compares them together.
//
//     plain    [ 2^stride slots ]
//     packed   [ ends of all runs except the last | a slot for each run ]            in one cache line
//     path     [ bits of the path, a one, zeros | slot of addresses off the path ]   before either
//
// The ends and a path take 8 bytes each, for any size of slots: two leaf-pushed slots, or one other slot.
// Without leaf pushing, an address that leaves a path keeps its result, so no slot is stored for it.
//
// A run ends at a one-byte index, so only nodes of up to 8 bits can be packed, and only if that is smaller.
// The run of an index is the number of ends below it: one comparison of eight bytes in a word. No route ends
// on a path, so all addresses that leave it have the same result.
#pragma once

#include <bit>
#include <cstdint>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

namespace packed_node {

inline constexpr unsigned widest = 8;

// Layout of packed slots with this many bytes.
template <std::size_t SlotBytes>
struct layout {
    static constexpr std::uint32_t head = 8 / SlotBytes; // slots that the ends, or a path, take
    static constexpr unsigned most_runs = SlotBytes == 4 ? 9 : 7;

    // Number of slots of a node, which is even, or `otherwise` if it is not packed.
    static constexpr std::uint64_t slots(unsigned stride, std::uint64_t runs,
                                         std::uint64_t otherwise) noexcept {
        return stride > widest || runs > most_runs ? otherwise : (head + runs + 1) / 2 * 2;
    }
};

// Returns how many of eight bytes are below `index`.
constexpr unsigned count_below(std::uint64_t ends, std::uint64_t index) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101, tops = ones << 7;
    const std::uint64_t x = ones * index;
    const std::uint64_t low_not_below = (ends | tops) - (x & ~tops); // top bits: other seven bits not below
    const std::uint64_t below = ((~ends & x) | (~(ends ^ x) & ~low_not_below)) & tops;
    return static_cast<unsigned>((below >> 7) * ones >> 56);
}

} // namespace packed_node

// The bits that lead to a node without a branch.
struct node_path {
    static constexpr unsigned longest = 31;
    std::uint32_t word = std::uint32_t{1} << 31; // the bits, a one, zeros; initially no bits

    static constexpr node_path of(std::uint64_t bits, unsigned length) noexcept {
        return {static_cast<std::uint32_t>((bits * 2 + 1) << (longest - length))};
    }
    constexpr unsigned length() const noexcept {
        return longest - static_cast<unsigned>(std::countr_zero(word));
    }
    constexpr std::uint32_t bits() const noexcept {
        return static_cast<std::uint32_t>(std::uint64_t{word} >> (longest + 1 - length()));
    }
    // True if these are the next bits of an address.
    constexpr bool leads(std::uint64_t rest) const noexcept {
        const auto next = static_cast<std::uint32_t>(rest >> 32);
        return ((next ^ word) & ~(word ^ (word - 1))) == 0;
    }
};

} // namespace fingerpost
