// A prefix: the addresses that share their first `length` bits with `base`.
#pragma once

#include <compare>
#include <cstdint>

#include "fingerpost/net/address.hpp"

namespace fingerpost {

// Mask of the first `length` bits of an address. A `length` above the width is treated as the width.
template <class A>
constexpr typename A::value_type network_mask(unsigned length) noexcept {
    using value = typename A::value_type;
    const unsigned free_bits = length < A::bits ? A::bits - length : 0;
    return static_cast<value>(A::last().value & ~low_mask<value>(free_bits));
}

// In a canonical prefix, bits of `base` past `length` are zero. make() clears them; is_canonical() checks
// them.
template <class A>
struct prefix {
    using address_type = A;

    A base{};
    std::uint8_t length = 0;

    static constexpr prefix make(A any, unsigned length) noexcept {
        return {A{static_cast<typename A::value_type>(any.value & network_mask<A>(length))},
                static_cast<std::uint8_t>(length)};
    }
    static constexpr bool is_canonical(A base, unsigned length) noexcept {
        return (base.value & ~network_mask<A>(length)) == 0;
    }

    constexpr A first() const noexcept { return base; }
    constexpr A last() const noexcept {
        return A{
            static_cast<typename A::value_type>(base.value | (A::last().value & ~network_mask<A>(length)))};
    }
    constexpr bool contains(A a) const noexcept { return (a.value & network_mask<A>(length)) == base.value; }
    // Returns true also for the prefix itself.
    constexpr bool covers(const prefix& other) const noexcept {
        return length <= other.length && contains(other.base);
    }

    friend constexpr bool operator==(const prefix&, const prefix&) noexcept = default;
    // Ordered by address, then by length: every cover precedes the prefixes that it covers.
    friend constexpr auto operator<=>(const prefix& a, const prefix& b) noexcept {
        const auto by_base = a.base <=> b.base;
        return by_base != 0 ? by_base : a.length <=> b.length;
    }
};

// Returns the number of leading bits that two addresses share.
template <class A>
constexpr unsigned common_length(A a, A b) noexcept {
    using value = typename A::value_type;
    const value difference = a.value ^ b.value;
    constexpr unsigned unused = sizeof(value) * 8 - A::bits;
    const auto shared = static_cast<unsigned>(leading_zeros(difference)) - unused;
    return shared < A::bits ? shared : A::bits;
}

using ipv4_prefix = prefix<ipv4_address>;
using ipv6_prefix = prefix<ipv6_address>;

} // namespace fingerpost
