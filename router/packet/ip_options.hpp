// Determines what IPv4 options and IPv6 hop-by-hop options require from a router.
//
// The router forwards packets with options unchanged: it does not record routes or timestamps. Packets that
// need more go to the kernel, which handles rare options and answers with a parameter problem if necessary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fingerpost::router {

enum class options_verdict : std::uint8_t {
    forward,
    host,         // malformed, or of a kind that the router must examine
    source_route, // requests a path chosen by the sender, which Linux refuses by default
                  // (accept_source_route)
};

// `options` is the part of the header after its first 20 bytes. Unknown options are forwarded (RFC 1812
// 4.2.2.6), and bytes after the end of the list are ignored.
options_verdict inspect_ipv4_options(std::span<const std::uint8_t> options) noexcept;

// `options` is the part of the hop-by-hop header after its first two bytes. Accepts padding of less than
// eight bytes at a time, and up to eight other options that a node may skip if it does not support them (RFC
// 8200 4.2). The kernel has the same limits.
options_verdict inspect_hop_by_hop(std::span<const std::uint8_t> options) noexcept;

} // namespace fingerpost::router
