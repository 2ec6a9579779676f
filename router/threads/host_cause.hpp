// Reasons for which a data thread passes a packet to the host thread.
#pragma once

#include <cstdint>

#include <rte_mbuf.h>

#include "router/forward/next_hop_entry.hpp"
#include "router/packet/drop_reason.hpp"

namespace fingerpost::router {

enum class host_cause : std::uint8_t {
    kernel,     // for the router itself, or not to be forwarded
    unresolved, // the MAC address of the next hop is unknown
    no_route,   // from here on, the sender gets an ICMP error
    unreachable,
    prohibit,
    link_down,
    ttl_expired,
    too_big,
};

// Stored in an mbuf field that only the precision time protocol uses.
inline void note_cause(rte_mbuf& packet, host_cause why) noexcept {
    packet.timesync = static_cast<std::uint16_t>(why);
}
inline host_cause cause_of(const rte_mbuf& packet) noexcept {
    return static_cast<host_cause>(packet.timesync);
}

// The cause for a next hop that does not forward. Blackholed packets do not go to the host thread.
constexpr host_cause cause_of(hop_kind kind) noexcept {
    switch (kind) {
    case hop_kind::local:
        return host_cause::kernel;
    case hop_kind::unreachable:
        return host_cause::unreachable;
    case hop_kind::prohibit:
        return host_cause::prohibit;
    case hop_kind::link_down:
        return host_cause::link_down;
    case hop_kind::no_route:
        return host_cause::no_route;
    default:
        return host_cause::unresolved;
    }
}

// The drop reason to count if the packet is dropped for this cause.
constexpr drop_reason reason_of(host_cause why) noexcept {
    switch (why) {
    case host_cause::kernel:
        return drop_reason::host_ring_full;
    case host_cause::unresolved:
        return drop_reason::unresolved_neighbour;
    case host_cause::no_route:
        return drop_reason::no_route;
    case host_cause::unreachable:
        return drop_reason::unreachable;
    case host_cause::prohibit:
        return drop_reason::prohibit;
    case host_cause::link_down:
        return drop_reason::port_down;
    case host_cause::ttl_expired:
        return drop_reason::ttl_expired;
    case host_cause::too_big:
        return drop_reason::too_big;
    }
    return drop_reason::host_ring_full;
}

} // namespace fingerpost::router
