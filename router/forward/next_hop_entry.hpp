// What a data thread does with a packet whose next hop it has found: one cache line, written once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/net/address.hpp"

namespace fingerpost::router {

enum class hop_kind : std::uint8_t {
    forward,     // the header is ready
    unresolved,  // the gateway's MAC address is not known: the host thread holds the packet and asks
    connected,   // the destination is a neighbour: look it up among the neighbours of `interface`
    local,       // for the router itself: to the kernel
    group,       // the flow's hash chooses a bucket
    blackhole,   // dropped in silence
    unreachable, // dropped, and the sender is told
    prohibit,    // the same, as administratively prohibited
    no_route,    // the same, as no route covers the destination
    link_down,   // the way out is down: as unreachable, counted apart
};

// Flows of a group are spread over this many buckets.
inline constexpr std::size_t group_buckets = 1024;
using bucket_array = std::array<std::uint32_t, group_buckets>; // numbers of next hops

struct alignas(cache_line_bytes) next_hop_entry {
    hop_kind kind = hop_kind::no_route;
    bool ipv6_gateway = false; // of `unresolved`: the family of `gateway`
    std::uint8_t header_length = 0;
    std::uint8_t unused = 0;
    std::uint16_t port = 0;
    std::uint16_t mtu = 0;                 // of the IP packet, in bytes
    std::array<std::uint8_t, 18> header{}; // Ethernet, with a VLAN tag or without, up to the type
    std::uint16_t vlan = 0;                // 0: untagged
    std::uint32_t interface = 0;           // the kernel's number of the way out
    const bucket_array* buckets = nullptr; // of `group`
    ipv6_address gateway{};                // of `unresolved`; an IPv4 gateway in the low 32 bits

    friend bool operator==(const next_hop_entry&, const next_hop_entry&) = default;
};
static_assert(sizeof(next_hop_entry) == cache_line_bytes);

} // namespace fingerpost::router
