// ::ffff:a.b.c.d, the IPv6 form of the IPv4 address a.b.c.d (RFC 4291, 2.5.5.2), other IPv6 addresses with an
// IPv4 address in them, and which routes answer for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// IPv4 addresses are the last bits of those within ::ffff:0:0/96.
inline constexpr ipv6_prefix mapped_block{{u128{0xffff'0000'0000}}, 96};

constexpr bool is_ipv4_mapped(ipv6_address a) noexcept {
    return a.value >> 32 == 0xffff;
}
constexpr ipv4_address unmapped(ipv6_address a) noexcept {
    return {static_cast<std::uint32_t>(a.value)};
}
constexpr ipv6_address mapped(ipv4_address a) noexcept {
    return {mapped_block.base.value | a.value};
}
// Whether all of its addresses are such ones.
constexpr bool is_ipv4_mapped(const ipv6_prefix& p) noexcept {
    return p.length >= mapped_block.length && is_ipv4_mapped(p.base);
}
constexpr ipv4_prefix unmapped(const ipv6_prefix& p) noexcept {
    return {unmapped(p.base), static_cast<std::uint8_t>(p.length - mapped_block.length)};
}
constexpr ipv6_prefix mapped(const ipv4_prefix& p) noexcept {
    return {mapped(p.base), static_cast<std::uint8_t>(p.length + mapped_block.length)};
}

// Blocks of IPv6 addresses in which an IPv4 address follows the prefix, such as 2002::/16 of 6to4, and for
// which the IPv4 routes of a table answer. None is longer than /96. A MaxMind DB has them (io/format/mmdb).
using ipv4_aliases = std::span<const ipv6_prefix>;

// The IPv4 address in a mapped address, or in one within these blocks.
constexpr std::optional<ipv4_address> ipv4_within(ipv6_address a, ipv4_aliases aliases) noexcept {
    if (is_ipv4_mapped(a))
        return unmapped(a);
    for (const ipv6_prefix& block : aliases)
        if (block.contains(a))
            return ipv4_address{static_cast<std::uint32_t>(a.value >> (mapped_block.length - block.length))};
    return std::nullopt;
}

// The rule of everything that has routes of both families (docs/use/library.md, "Mapped addresses"). Returns
// found(address) for the form of the address that is to be looked up, in the routes of its family:
//
//      a.b.c.d           as it is, unless no IPv4 route matches it, but an IPv6 route within ::ffff:0:0/96
//      ::ffff:a.b.c.d    as a.b.c.d if an IPv4 route matches that; so are addresses within `aliases`
//      others            as they are
//
// has_ipv4(a): whether an IPv4 route matches. ipv6_length(a): the length of the longest IPv6 match; without
// one, 0.
template <class Has, class Length, class Found>
constexpr decltype(auto) in_answering_form(ipv4_address a, Has has_ipv4, Length ipv6_length, Found found,
                                           ipv4_aliases = {}) {
    return has_ipv4(a) || ipv6_length(mapped(a)) < mapped_block.length ? found(a) : found(mapped(a));
}
template <class Has, class Length, class Found>
constexpr decltype(auto) in_answering_form(ipv6_address a, Has has_ipv4, Length, Found found,
                                           ipv4_aliases aliases = {}) {
    const auto four = ipv4_within(a, aliases);
    return four && has_ipv4(*four) ? found(*four) : found(a);
}

} // namespace fingerpost
