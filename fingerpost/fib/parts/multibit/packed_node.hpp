// Compact forms of a multibit trie's nodes: if the slots of a node are few runs of equal ones, the node
// stores the runs; if nothing branches for some bits, a path stores these bits and compares them at once.
//
//     plain    [ 2^stride slots ]
//     packed   [ ends of the runs but the last | a slot for each run ]               in one cache line
//     path     [ bits of the path, a one, zeros | slot of addresses off the path ]   in front of either
//
// The ends take 8 bytes and a path takes 8, whatever the size of slots: two leaf-pushed slots, or one of the
// other kind. Without leaf pushing an address that leaves a path keeps its answer, so no slot is stored for
// it.
//
// A run ends at an index of one byte, so only nodes of up to 8 bits can be packed, and are packed only if
// that is smaller. The run of an index is the number of ends below it: one comparison of eight bytes in a
// word. No route ends on a path, so all addresses that leave it have the same answer.
#pragma once

#include <bit>
#include <cstdint>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

namespace packed_node {

inline constexpr unsigned widest = 8;

// How slots of this many bytes are packed.
template <std::size_t SlotBytes>
struct layout {
    static constexpr std::uint32_t head = 8 / SlotBytes; // slots that the ends take, and also a path
    static constexpr unsigned most_runs = SlotBytes == 4 ? 9 : 7;

    // The number of slots of a node, an even number, or `otherwise` if it is not packed.
    static constexpr std::uint64_t slots(unsigned stride, std::uint64_t runs,
                                         std::uint64_t otherwise) noexcept {
        return stride > widest || runs > most_runs ? otherwise : (head + runs + 1) / 2 * 2;
    }
};

// How many of eight bytes are below `index`.
constexpr unsigned count_below(std::uint64_t ends, std::uint64_t index) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101, tops = ones << 7;
    const std::uint64_t x = ones * index;
    const std::uint64_t low_not_below = (ends | tops) - (x & ~tops); // top bits: the other seven not below
    const std::uint64_t below = ((~ends & x) | (~(ends ^ x) & ~low_not_below)) & tops;
    return static_cast<unsigned>((below >> 7) * ones >> 56);
}

} // namespace packed_node

// The bits that lead to a node without a branch.
struct node_path {
    static constexpr unsigned longest = 31;
    std::uint32_t word = std::uint32_t{1} << 31; // the bits, a one, zeros; here no bits

    static constexpr node_path of(std::uint64_t bits, unsigned length) noexcept {
        return {static_cast<std::uint32_t>((bits * 2 + 1) << (longest - length))};
    }
    constexpr unsigned length() const noexcept {
        return longest - static_cast<unsigned>(std::countr_zero(word));
    }
    constexpr std::uint32_t bits() const noexcept {
        return static_cast<std::uint32_t>(std::uint64_t{word} >> (longest + 1 - length()));
    }
    // Whether the next bits of an address are these.
    constexpr bool leads(std::uint64_t rest) const noexcept {
        const auto next = static_cast<std::uint32_t>(rest >> 32);
        return ((next ^ word) & ~(word ^ (word - 1))) == 0;
    }
};

} // namespace fingerpost
