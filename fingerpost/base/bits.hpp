// Unsigned integers by width, up to 128 bits, shifts that are defined for every count, and loads from bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

__extension__ using u128 = unsigned __int128;

// The smallest unsigned integer with `Bits` bits, and at least 32 bits to avoid integer promotion.
template <unsigned Bits>
    requires(Bits >= 1 && Bits <= 128)
using uint_of =
    std::conditional_t<(Bits <= 32), std::uint32_t, std::conditional_t<(Bits <= 64), std::uint64_t, u128>>;

// Shift like x << count and x >> count, but return zero if the count is the width or more.
template <class U>
constexpr U shift_left(U x, unsigned count) noexcept {
    return count < sizeof(U) * 8 ? static_cast<U>(x << count) : U{0};
}
template <class U>
constexpr U shift_right(U x, unsigned count) noexcept {
    return count < sizeof(U) * 8 ? static_cast<U>(x >> count) : U{0};
}

// Returns a number with the lowest `count` bits set, or with all bits set if `count` is the width or more.
template <class U>
constexpr U low_mask(unsigned count) noexcept {
    return static_cast<U>(shift_left(U{1}, count) - U{1});
}

// Return the number of set bits before `position`, without or with it. `position` is below 64.
constexpr unsigned rank_before(std::uint64_t bits, unsigned position) noexcept {
    return static_cast<unsigned>(std::popcount(bits & ((std::uint64_t{1} << position) - 1)));
}
constexpr unsigned rank_through(std::uint64_t bits, unsigned position) noexcept {
    return static_cast<unsigned>(std::popcount(bits & ((std::uint64_t{2} << position) - 1)));
}

constexpr unsigned leading_zeros(std::uint32_t x) noexcept {
    return static_cast<unsigned>(std::countl_zero(x));
}
constexpr unsigned leading_zeros(std::uint64_t x) noexcept {
    return static_cast<unsigned>(std::countl_zero(x));
}
constexpr unsigned leading_zeros(u128 x) noexcept {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    return high != 0 ? leading_zeros(high) : 64 + leading_zeros(static_cast<std::uint64_t>(x));
}

// Loads a little-endian number from `at`, with any alignment.
template <class U>
    requires(sizeof(U) == 4 || sizeof(U) == 8)
U load_little(const void* at) noexcept {
    U value;
    __builtin_memcpy(&value, at, sizeof value);
    if constexpr (std::endian::native == std::endian::little)
        return value;
    else if constexpr (sizeof value == 8)
        return __builtin_bswap64(value);
    else
        return __builtin_bswap32(value);
}

} // namespace fingerpost
