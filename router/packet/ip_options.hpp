// What IPv4 options and IPv6 hop-by-hop options ask of a router.
//
// The router forwards packets with options as they are: it records no route and no time. What it cannot treat
// so is for the kernel, which has the code for the rare and answers with a parameter problem where one is
// due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fingerpost::router {

enum class options_verdict : std::uint8_t {
    forward,
    host,         // malformed, or of a kind that the router has to look at
    source_route, // asks for a way of the sender's choice, which Linux refuses by default
                  // (accept_source_route)
};

// `options` is what follows the first 20 bytes of the header, up to its length. Forwards options that it does
// not know (RFC 1812 4.2.2.6) and ignores what follows the end of the list.
options_verdict inspect_ipv4_options(std::span<const std::uint8_t> options) noexcept;

// `options` is what follows the first two bytes of the hop-by-hop header, up to its length. Forwards padding
// of less than eight bytes in a row, and up to eight other options that a node may skip when it does not know
// them (RFC 8200 4.2); the kernel's own limits are the same.
options_verdict inspect_hop_by_hop(std::span<const std::uint8_t> options) noexcept;

} // namespace fingerpost::router
