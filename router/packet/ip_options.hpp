// What IPv4 options and IPv6 hop-by-hop options require from a router.
//
// The router forwards packets with options unchanged: it records no route and no time. Packets that it cannot
// treat so go to the kernel, which handles rare options and answers with a parameter problem if necessary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fingerpost::router {

enum class options_verdict : std::uint8_t {
    forward,
    host,         // malformed, or of a kind that the router must look at
    source_route, // asks for a path chosen by the sender, which Linux refuses by default
                  // (accept_source_route)
};

// `options` is what follows the first 20 bytes of the header, up to its length. Unknown options are forwarded
// (RFC 1812 4.2.2.6), and what follows the end of the list is ignored.
options_verdict inspect_ipv4_options(std::span<const std::uint8_t> options) noexcept;

// `options` is what follows the first two bytes of the hop-by-hop header, up to its length. Accepts runs of
// padding of less than eight bytes, and up to eight other options that a node may skip if it does not know
// them (RFC 8200 4.2); the kernel has the same limits.
options_verdict inspect_hop_by_hop(std::span<const std::uint8_t> options) noexcept;

} // namespace fingerpost::router
