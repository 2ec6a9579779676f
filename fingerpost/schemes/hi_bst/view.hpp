// The nodes of the tree, without their keys.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace fingerpost::hi_bst {

// The node of the innermost route around this one, and the length of this route in the bits above its code.
// Node 0 stands for no route: it contains every address and has the code of none, so every climb ends.
struct node {
    std::uint32_t around = 0;
    std::uint32_t word = 0;
};
static_assert(sizeof(node) == 8);

inline constexpr unsigned code_bits = 24;
inline constexpr std::uint32_t code_mask = (std::uint32_t{1} << code_bits) - 1;
constexpr std::uint32_t word_of(unsigned length, std::uint32_t code) noexcept {
    return length << code_bits | code;
}
constexpr unsigned length_of(std::uint32_t word) noexcept {
    return word >> code_bits;
}

// The bits of the number of a place below the leaves tell the turns on the way there, a set bit for each turn
// to the right. The node where the way last turned right is the last one whose key is not above the address;
// 0 if there is none.
constexpr std::size_t node_before(std::size_t below_leaves) noexcept {
    return below_leaves >> (std::countr_zero(below_leaves) + 1);
}

} // namespace fingerpost::hi_bst
