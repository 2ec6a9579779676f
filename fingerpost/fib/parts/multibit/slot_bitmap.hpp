// One bit for each of the 2^Stride slots of a node, and the numbering of the prefixes that end inside a node
// of a multibit trie.
//
// Base-index order is heap order: the prefix with `length` bits past the node's, with the value `value`, has
// the number 2^length + value. Number 1 is the node's own prefix, the parent of number i is i / 2, and
// numbers below 2^Stride belong to lengths below Stride. No prefix has number 0, so its bit is free for other
// uses. A longer prefix has a greater number, so the longest of a slot's ancestors has the greatest number.
//
// Kernels of every instruction set use this, so all functions are inlined.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost {

// Up to 64 bits are one word of that size; more bits are words of 64 bits.
template <unsigned Bits>
struct slot_bitmap {
    static_assert(std::has_single_bit(Bits) && Bits >= 8 && Bits <= 256);
    using word = std::conditional_t<
        (Bits <= 8), std::uint8_t,
        std::conditional_t<(Bits <= 16), std::uint16_t,
                           std::conditional_t<(Bits <= 32), std::uint32_t, std::uint64_t>>>;
    static constexpr unsigned words = Bits <= 64 ? 1 : Bits / 64;

    static constexpr unsigned size() noexcept { return Bits; }

    std::array<word, words> bits{};

    FINGERPOST_INLINE constexpr bool test(unsigned i) const noexcept {
        return (at(i / 64) >> (i % 64) & 1) != 0;
    }
    FINGERPOST_INLINE constexpr void set(unsigned i) noexcept {
        bits[i / 64] = static_cast<word>(bits[i / 64] | std::uint64_t{1} << (i % 64));
    }
    FINGERPOST_INLINE constexpr void clear(unsigned i) noexcept {
        bits[i / 64] = static_cast<word>(bits[i / 64] & ~(std::uint64_t{1} << (i % 64)));
    }
    FINGERPOST_INLINE constexpr bool any() const noexcept {
        std::uint64_t united = 0;
        for (unsigned w = 0; w < words; ++w)
            united |= at(w);
        return united != 0;
    }
    FINGERPOST_INLINE constexpr unsigned count() const noexcept {
        int sum = 0;
        for (unsigned w = 0; w < words; ++w)
            sum += std::popcount(at(w));
        return static_cast<unsigned>(sum);
    }
    // Number of set bits below i. Whole words are counted without a branch.
    FINGERPOST_INLINE constexpr unsigned rank_before(unsigned i) const noexcept {
        const std::uint64_t below = (std::uint64_t{1} << (i % 64)) - 1;
        int sum = 0;
        for (unsigned w = 0; w < words; ++w) {
            const std::uint64_t counted = w < i / 64 ? ~std::uint64_t{0} : w == i / 64 ? below : 0;
            sum += std::popcount(at(w) & counted);
        }
        return static_cast<unsigned>(sum);
    }
    FINGERPOST_INLINE constexpr bool has_common(const slot_bitmap& other) const noexcept {
        std::uint64_t common = 0;
        for (unsigned w = 0; w < words; ++w)
            common |= at(w) & other.at(w);
        return common != 0;
    }
    // The greatest bit that is set in both. There must be one.
    FINGERPOST_INLINE constexpr unsigned highest_common(const slot_bitmap& other) const noexcept {
        std::uint64_t highest = at(0) & other.at(0);
        unsigned first = 0;
        for (unsigned w = 1; w < words; ++w) {
            const std::uint64_t both = at(w) & other.at(w);
            first = both != 0 ? w * 64 : first;
            highest = both != 0 ? both : highest;
        }
        return first + 63u - static_cast<unsigned>(std::countl_zero(highest));
    }
    // First set bit at or after `from`, or Bits if there is none.
    constexpr unsigned next(unsigned from) const noexcept {
        for (unsigned i = from; i < Bits; i = (i / 64 + 1) * 64)
            if (const std::uint64_t left = at(i / 64) >> (i % 64); left != 0)
                return i + static_cast<unsigned>(std::countr_zero(left));
        return Bits;
    }

    friend constexpr bool operator==(const slot_bitmap&, const slot_bitmap&) noexcept = default;

  private:
    FINGERPOST_INLINE constexpr std::uint64_t at(unsigned w) const noexcept { return bits[w]; }
};

constexpr unsigned base_index(std::uint64_t value, unsigned length) noexcept {
    return (1u << length) + static_cast<unsigned>(value);
}
constexpr unsigned length_of_base_index(unsigned index) noexcept {
    return static_cast<unsigned>(std::bit_width(index)) - 1;
}

// For each slot, the numbers of all prefixes of lengths 0 to Stride - 1 that cover it.
template <unsigned Stride>
using ancestor_table = std::array<slot_bitmap<1u << Stride>, 1u << Stride>;

template <unsigned Stride>
constexpr ancestor_table<Stride> make_ancestors() noexcept {
    ancestor_table<Stride> table{};
    for (unsigned slot = 0; slot < table.size(); ++slot)
        for (unsigned length = 0; length < Stride; ++length)
            table[slot].set(base_index(slot >> (Stride - length), length));
    return table;
}

} // namespace fingerpost
