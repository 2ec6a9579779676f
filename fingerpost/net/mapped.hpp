// IPv4-mapped addresses, ::ffff:a.b.c.d (RFC 4291, 2.5.5.2), other IPv6 addresses that contain an IPv4
// address, and the rule for which routes match them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// Block of the mapped addresses. The IPv4 address is in the last 32 bits.
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
// True if all addresses of the prefix are mapped.
constexpr bool is_ipv4_mapped(const ipv6_prefix& p) noexcept {
    return p.length >= mapped_block.length && is_ipv4_mapped(p.base);
}
constexpr ipv4_prefix unmapped(const ipv6_prefix& p) noexcept {
    return {unmapped(p.base), static_cast<std::uint8_t>(p.length - mapped_block.length)};
}
constexpr ipv6_prefix mapped(const ipv4_prefix& p) noexcept {
    return {mapped(p.base), static_cast<std::uint8_t>(p.length + mapped_block.length)};
}

// Blocks of IPv6 addresses that contain an IPv4 address after the prefix, such as 2002::/16 (6to4), and are
// looked up in the IPv4 routes of a table. No block is longer than /96. MaxMind DBs have such blocks
// (io/format/mmdb).
using ipv4_aliases = std::span<const ipv6_prefix>;

// Returns the IPv4 address in a mapped address or in an address within one of these blocks.
constexpr std::optional<ipv4_address> ipv4_within(ipv6_address a, ipv4_aliases aliases) noexcept {
    if (is_ipv4_mapped(a))
        return unmapped(a);
    for (const ipv6_prefix& block : aliases)
        if (block.contains(a))
            return ipv4_address{static_cast<std::uint32_t>(a.value >> (mapped_block.length - block.length))};
    return std::nullopt;
}

// The rule for all tables with routes of both families (docs/use/library.md, "Mapped addresses"). Returns
// lookup(address) with the form of the address to look up in the routes of its family:
//
//      a.b.c.d           unchanged, or mapped if only an IPv6 route within ::ffff:0:0/96 matches
//      ::ffff:a.b.c.d    a.b.c.d if an IPv4 route matches it; also for addresses within `aliases`
//      others            unchanged
//
// has_ipv4(a) returns whether an IPv4 route matches. ipv6_length(a) returns the length of the longest IPv6
// match, or 0 if there is none.
template <class Has, class Length, class Lookup>
constexpr decltype(auto) in_answering_form(ipv4_address a, Has has_ipv4, Length ipv6_length, Lookup lookup,
                                           ipv4_aliases = {}) {
    return has_ipv4(a) || ipv6_length(mapped(a)) < mapped_block.length ? lookup(a) : lookup(mapped(a));
}
template <class Has, class Length, class Lookup>
constexpr decltype(auto) in_answering_form(ipv6_address a, Has has_ipv4, Length, Lookup lookup,
                                           ipv4_aliases aliases = {}) {
    const auto four = ipv4_within(a, aliases);
    return four && has_ipv4(*four) ? lookup(*four) : lookup(a);
}

} // namespace fingerpost
