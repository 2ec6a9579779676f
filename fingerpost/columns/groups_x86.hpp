// Locates the groups of an IPv6 text, from masks with one bit for each character.
#pragma once

#include <cstdint>
#include <immintrin.h>

#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::columns {
namespace {

struct ipv6_groups {
    std::uint64_t ends = 0;       // a bit after each group; the zeros of `::` count as one empty group
    std::uint64_t count = 0;      // number of these bits, up to 8
    std::uint64_t before_gap = 0; // groups that end before the gap; 8 without a gap
    std::uint64_t leading = 0;    // 1 if the first group starts at position 1 instead of 0
};

// `mask` has the bits of the text's characters, `unknown` those of characters that are neither digits nor
// colons. Returns false if the text is not an address, or if it has a dotted quad.
FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET bool find_groups(std::uint64_t mask, std::uint64_t colons,
                                                           std::uint64_t unknown, unsigned size,
                                                           ipv6_groups& out) {
    const std::uint64_t digits = mask & ~colons;
    const std::uint64_t gap = colons & colons >> 1;
    const std::uint64_t runs_of_2 = digits & digits >> 1;
    const std::uint64_t runs_of_5 = runs_of_2 & runs_of_2 >> 2 & digits >> 4;
    // A colon at either end belongs to the gap. The other colon of the gap remains.
    const std::uint64_t leading = colons & 1;
    const std::uint64_t trailing = colons >> (size - 1);
    const std::uint64_t stray = (leading & ~gap) | (trailing & ~(gap >> (size - 2)));
    const std::uint64_t ends = (colons ^ leading) | (trailing ^ 1) << size;
    const auto count = static_cast<std::uint64_t>(_mm_popcnt_u64(ends));
    // Branch-free: all terms must be 0. There are eight groups, or fewer with a gap, and no second gap.
    const std::uint64_t without_gap = (gap - 1) >> 63;
    const std::uint64_t miscounted = (8 - count) >> 63 | ((8 - count) & (0 - without_gap));
    if ((unknown | runs_of_5 | stray | _blsr_u64(gap) | miscounted) != 0)
        return false;
    out = {ends, count, static_cast<std::uint64_t>(_mm_popcnt_u64(ends & _blsmsk_u64(gap))), leading};
    return true;
}

} // namespace
} // namespace fingerpost::columns
