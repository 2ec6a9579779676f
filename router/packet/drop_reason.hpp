// All reasons for dropping a packet, in one list for counters, telemetry and documentation. It covers all
// parts of the router, so that counters are elements of a single array.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::router {

enum class drop_reason : std::uint8_t {
    // Errors in the frame or the packet.
    short_frame,
    not_for_us,
    unknown_vlan,
    truncated,
    bad_ip_version,
    bad_ip_header_length,
    bad_ip_total_length,
    bad_ip_checksum,
    martian_source,
    martian_destination,
    source_route,
    // Effects of the route or the next hop.
    no_route,
    blackhole,
    unreachable,
    prohibit,
    ttl_expired,
    too_big,
    unresolved_neighbour,
    neighbour_queue_full,
    // Lack of resources.
    lookup_ring_full,
    send_ring_full,
    over_kernel_rate,
    host_ring_full,
    host_refused,
    transmit_full,
    port_down,
    no_memory,
};

// `name` is used in counters and labels.
struct drop_reason_facts {
    drop_reason reason;
    std::string_view name;
    std::string_view sentence;
};

inline constexpr std::array drop_reasons = std::to_array<drop_reason_facts>({
    {drop_reason::short_frame, "short_frame", "The frame ends inside its Ethernet header or VLAN tag."},
    {drop_reason::not_for_us, "not_for_us",
     "The frame's destination MAC address belongs to another station."},
    {drop_reason::unknown_vlan, "unknown_vlan", "The port has no interface with the frame's VLAN id."},
    {drop_reason::truncated, "truncated", "The frame ends before its IP packet."},
    {drop_reason::bad_ip_version, "bad_ip_version", "The IP version does not match the Ethernet type."},
    {drop_reason::bad_ip_header_length, "bad_ip_header_length", "The IPv4 header length is below 20 bytes."},
    {drop_reason::bad_ip_total_length, "bad_ip_total_length",
     "The IPv4 total length is less than the length of the header."},
    {drop_reason::bad_ip_checksum, "bad_ip_checksum", "The IPv4 header checksum is wrong."},
    {drop_reason::martian_source, "martian_source",
     "The source address cannot belong to a sender on a network, such as a loopback or multicast address."},
    {drop_reason::martian_destination, "martian_destination",
     "The destination address cannot belong to a receiver on a network, such as a loopback address."},
    {drop_reason::source_route, "source_route", "An IPv4 option requests a path chosen by the sender."},
    {drop_reason::no_route, "no_route", "No route matches the destination."},
    {drop_reason::blackhole, "blackhole", "The route drops packets silently."},
    {drop_reason::unreachable, "unreachable", "The route marks the destination as unreachable."},
    {drop_reason::prohibit, "prohibit", "The route marks the destination as prohibited."},
    {drop_reason::ttl_expired, "ttl_expired", "The TTL or hop limit does not allow another hop."},
    {drop_reason::too_big, "too_big",
     "The packet exceeds the MTU of its exit and must not or cannot be fragmented."},
    {drop_reason::unresolved_neighbour, "unresolved_neighbour",
     "The neighbour's MAC address could not be resolved."},
    {drop_reason::neighbour_queue_full, "neighbour_queue_full",
     "The queue of packets waiting for the neighbour's MAC address is full."},
    {drop_reason::lookup_ring_full, "lookup_ring_full", "The lookup threads are too slow."},
    {drop_reason::send_ring_full, "send_ring_full", "The send threads are too slow."},
    {drop_reason::over_kernel_rate, "over_kernel_rate",
     "The port has more packets for the kernel than kernel.port_rate allows."},
    {drop_reason::host_ring_full, "host_ring_full", "The host thread is too slow."},
    {drop_reason::host_refused, "host_refused", "The kernel did not accept the packet on the TAP."},
    {drop_reason::transmit_full, "transmit_full", "The port's transmit queue is full."},
    {drop_reason::port_down, "port_down", "The exit port is down."},
    {drop_reason::no_memory, "no_memory", "No packet buffer was free."},
});
inline constexpr std::size_t drop_reason_count = drop_reasons.size();

constexpr std::size_t index_of(drop_reason reason) noexcept {
    return static_cast<std::size_t>(reason);
}
constexpr const drop_reason_facts& facts_of(drop_reason reason) noexcept {
    return drop_reasons[index_of(reason)];
}

static_assert(drop_reason_count == index_of(drop_reason::no_memory) + 1);
static_assert([] {
    for (std::size_t i = 0; i < drop_reason_count; ++i)
        if (index_of(drop_reasons[i].reason) != i)
            return false;
    return true;
}());

} // namespace fingerpost::router
