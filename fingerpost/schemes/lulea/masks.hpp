// The bit masks that a full binary tree can have, and the table that replaces bit counting.
//
// A mask marks the heads among 16 positions, which are the first positions of leaves. The tree is full, so a
// block of 2^n positions is one leaf or two blocks of half the size. So there are a(n) = 1 + a(n - 1)^2
// masks, with a(0) = 1, which gives 677 for 16 bits. In addition, the mask without heads continues an earlier
// leaf. Masks with at most one head need no row of the table. Every other mask is a pair of two of the 26
// masks of 8 bits, which gives numbers for 676 rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fingerpost::lulea {

inline constexpr unsigned mask_bits = 16;

// Number of masks with 2^n bits.
constexpr std::uint32_t count_masks(unsigned n) noexcept {
    const std::uint32_t half = n == 0 ? 0 : count_masks(n - 1);
    return 1 + half * half;
}
inline constexpr std::uint32_t half_masks = count_masks(3);
inline constexpr std::uint32_t mask_rows = half_masks * half_masks;
static_assert(half_masks == 26 && count_masks(4) == mask_rows + 1 && mask_rows == 676);

// All masks of 8 bits, in any order. Bit i is position i.
constexpr std::array<std::uint8_t, half_masks> make_half_masks() noexcept {
    std::array<std::uint8_t, half_masks> masks{1};
    std::size_t count = 1;
    for (unsigned width = 1; width < mask_bits / 2; width *= 2) {
        std::array<std::uint8_t, half_masks> wider{1};
        std::size_t next = 1;
        for (std::size_t low = 0; low < count; ++low)
            for (std::size_t high = 0; high < count; ++high)
                wider[next++] = static_cast<std::uint8_t>(masks[low] | masks[high] << width);
        masks = wider;
        count = next;
    }
    return masks;
}
inline constexpr std::array<std::uint8_t, half_masks> half_mask_list = make_half_masks();

// The number of each mask of 8 bits; half_masks for other values.
constexpr std::array<std::uint8_t, 256> make_half_numbers() noexcept {
    std::array<std::uint8_t, 256> numbers{};
    numbers.fill(half_masks);
    for (std::size_t i = 0; i < half_masks; ++i)
        numbers[half_mask_list[i]] = static_cast<std::uint8_t>(i);
    return numbers;
}
inline constexpr std::array<std::uint8_t, 256> half_numbers = make_half_numbers();

// The row of a mask with at least two heads.
constexpr std::uint32_t row_of(std::uint32_t mask) noexcept {
    return half_numbers[mask & 0xff] * half_masks + half_numbers[mask >> 8];
}

// The mask of a row.
constexpr std::uint32_t mask_of(std::uint32_t row) noexcept {
    return half_mask_list[row / half_masks] | std::uint32_t{half_mask_list[row % half_masks]}
                                                  << (mask_bits / 2);
}

// Four bits for each position of a row: the number of heads before the head that applies to the position. The
// row after those of the paper is all zero, for masks with one pointer.
inline constexpr std::uint32_t single_row = mask_rows;
inline constexpr std::size_t table_rows = mask_rows + 1;
constexpr std::array<std::uint64_t, table_rows> make_maptable() noexcept {
    std::array<std::uint64_t, table_rows> table{};
    for (const unsigned low : half_mask_list)
        for (const unsigned high : half_mask_list) {
            const unsigned mask = low | high << (mask_bits / 2);
            std::uint64_t row = 0;
            std::uint64_t before = 0;
            for (unsigned i = 1; i < mask_bits; ++i) {
                before += mask >> i & 1;
                row |= before << (4 * i);
            }
            table[row_of(mask)] = row;
        }
    return table;
}
inline constexpr std::array<std::uint64_t, table_rows> maptable = make_maptable();

} // namespace fingerpost::lulea
