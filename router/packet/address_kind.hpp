// Addresses that a router treats specially, independent of its routes.
//
// Where the standards leave a choice, this router behaves like Linux: 240.0.0.0/4, 169.254.0.0/16, fec0::/10
// and ::ffff:0:0/96 are ordinary unicast addresses, and routes decide. Linux also forwards to and from
// 0.0.0.0/8 (except 0.0.0.0) and to ::, which RFC 1812 5.3.7 and RFC 4291 2.5.2 forbid; this router does not.
#pragma once

#include <cstdint>
#include <cstring>

#include <rte_byteorder.h>

namespace fingerpost::router {

// RFC 1812 5.3.7, RFC 1122 3.2.1.3.
enum class ipv4_kind : std::uint8_t { ordinary, this_network, loopback, multicast, limited_broadcast };

// The address is in host order.
constexpr ipv4_kind kind_of(std::uint32_t address) noexcept {
    const std::uint32_t first = address >> 24;
    if (first == 0)
        return ipv4_kind::this_network;
    if (first == 127)
        return ipv4_kind::loopback;
    if (first >= 224 && first < 240)
        return ipv4_kind::multicast;
    return address == 0xffffffff ? ipv4_kind::limited_broadcast : ipv4_kind::ordinary;
}

// RFC 4291 2.5 and 2.7. `narrow_multicast` has scope 0 (reserved) or 1, which never leaves a node.
enum class ipv6_kind : std::uint8_t {
    ordinary,
    unspecified,
    loopback,
    link_local,
    multicast,
    narrow_multicast,
};

// The address is 16 bytes in network order.
inline ipv6_kind kind_of(const std::uint8_t* address) noexcept {
    if (address[0] == 0xff)
        return (address[1] & 0x0f) <= 1 ? ipv6_kind::narrow_multicast : ipv6_kind::multicast;
    if (address[0] == 0xfe && (address[1] & 0xc0) == 0x80)
        return ipv6_kind::link_local;
    std::uint64_t halves[2];
    std::memcpy(halves, address, sizeof halves);
    if (halves[0] != 0)
        return ipv6_kind::ordinary;
    switch (rte_be_to_cpu_64(halves[1])) {
    case 0:
        return ipv6_kind::unspecified;
    case 1:
        return ipv6_kind::loopback;
    default:
        return ipv6_kind::ordinary;
    }
}

} // namespace fingerpost::router
