// An address of 1 to 128 bits. IPv4 is address<32> and IPv6 is address<128>. Tests cover address<3> to
// address<12> exhaustively.
#pragma once

#include <compare>
#include <cstdint>

#include "fingerpost/base/bits.hpp"

namespace fingerpost {

// `value` is the address as a number in host order, right aligned. Bits above the width are zero. Bit 0 is
// the most significant bit of the address, as in the text form. Convert from network order once, at the
// boundary of the program.
template <unsigned Bits>
struct address {
    static constexpr unsigned bits = Bits;
    using value_type = uint_of<Bits>;

    value_type value = 0;

    static constexpr address first() noexcept { return {0}; }
    static constexpr address last() noexcept { return {low_mask<value_type>(Bits)}; }

    friend constexpr bool operator==(address, address) noexcept = default;
    friend constexpr auto operator<=>(address a, address b) noexcept {
        return a.value < b.value    ? std::strong_ordering::less
               : a.value == b.value ? std::strong_ordering::equal
                                    : std::strong_ordering::greater;
    }
};

using ipv4_address = address<32>;
using ipv6_address = address<128>;

static_assert(sizeof(ipv4_address) == 4 && sizeof(ipv6_address) == 16);

// First 64 bits of the address, left aligned and padded with zeros.
template <unsigned Bits>
constexpr std::uint64_t top64(address<Bits> a) noexcept {
    if constexpr (Bits > 64)
        return static_cast<std::uint64_t>(a.value >> (Bits - 64));
    else
        return static_cast<std::uint64_t>(a.value) << (64 - Bits);
}

// Remaining bits of the address, left aligned. Zero for widths up to 64.
template <unsigned Bits>
constexpr std::uint64_t bottom64(address<Bits> a) noexcept {
    if constexpr (Bits > 64)
        return static_cast<std::uint64_t>(a.value << (128 - Bits));
    else
        return 0;
}

// Returns the address with these two words.
template <class A>
constexpr A from_halves(std::uint64_t top, std::uint64_t bottom) noexcept {
    using value = typename A::value_type;
    if constexpr (A::bits > 64)
        return {static_cast<value>((static_cast<value>(top) << (A::bits - 64)) |
                                   static_cast<value>(shift_right(bottom, 128 - A::bits)))};
    else
        return {static_cast<value>(top >> (64 - A::bits))};
}

// Bits [offset, offset + count) as a number. A `count` above 64 is treated as 64. Bits past the end of the
// address read as zero, so every offset and count is valid.
template <unsigned Bits>
constexpr std::uint64_t slice(address<Bits> a, unsigned offset, unsigned count) noexcept {
    const unsigned width = count < 64 ? count : 64;
    if constexpr (Bits <= 64) {
        return shift_right(shift_left(top64(a), offset), 64 - width);
    } else {
        const u128 left = static_cast<u128>(a.value) << (128 - Bits);
        return static_cast<std::uint64_t>(shift_right(shift_left(left, offset), 128 - width));
    }
}

// Returns one bit, or zero past the end.
template <unsigned Bits>
constexpr unsigned bit_at(address<Bits> a, unsigned offset) noexcept {
    return static_cast<unsigned>(slice(a, offset, 1));
}

} // namespace fingerpost
