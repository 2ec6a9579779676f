// ICMP errors (RFC 792, RFC 1812 4.3, RFC 4443) about packets that the router could not forward.
//
// They look like those of Linux, with a TTL of 64. IPv4: the type of service has the bits of the offending
// packet and precedence 6; at most 576 bytes in total, no options, a random identification. IPv6: traffic
// class and flow label 0, at most 1,280 bytes in total. The offending packet is quoted as it was before its
// hop was counted; if its neighbour could not be resolved, as it was afterwards, because Linux counts the hop
// before it resolves the neighbour.
//
// Differences from Linux: IPv4 options are not echoed, no IPv6 flow label is generated, and there are no
// errors about packets from 240.0.0.0/4 and about ICMPv6 redirects, which RFC 1812 and RFC 4443 forbid.
#pragma once

#include <cstdint>
#include <optional>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/address.hpp"
#include "router/packet/drop_reason.hpp"

namespace fingerpost::router {

//                       IPv4 type/code    IPv6 type/code
enum class icmp_error : std::uint8_t {
    time_exceeded,    // 11/0              3/0    in transit
    no_route,         // 3/0 net           1/0
    host_unreachable, // 3/1               1/3    address
    prohibited,       // 3/13              1/1    administratively
    too_big,          // 3/4               2/0    with the MTU of the next link
};

// The error that informs a sender why its packet was dropped; none if the router stays silent. As in Linux,
// the route kind `unreachable` means an unreachable host for IPv4, and "no route" for IPv6.
std::optional<icmp_error> error_about(drop_reason why, bool ipv4) noexcept;

// Reasons for not sending a message.
enum class icmp_silence : std::uint8_t {
    forbidden, // may_answer() returned false
    no_memory,
};

// True if an error about a packet may be sent. RFC 1812 4.3.2.7 and RFC 4443 2.4 (e) forbid errors about ICMP
// errors, ICMPv6 redirects, IPv4 fragments except the first, packets with a multicast or broadcast IP or link
// address, and packets whose source is not a single host. As in Linux, all ICMPv4 messages except known
// queries and replies count as errors; ICMP messages truncated before their type count too.
bool may_answer(const rte_mbuf& packet) noexcept;

// Builds a message about a packet that inspect() has seen, from an address of the router to the packet's
// source. It has the notes of a packet to forward: an Ethernet header with empty addresses, which
// replace_link() fills, and the ingress port, VLAN and flow hash of the offending packet. `mtu` is only used
// for too_big. The offending packet remains the caller's. `source` must be of the packet's family.
expected<rte_mbuf*, icmp_silence> make_icmpv4_error(const rte_mbuf& offender, icmp_error what,
                                                    std::uint16_t mtu, ipv4_address source,
                                                    rte_mempool& pool) noexcept;
expected<rte_mbuf*, icmp_silence> make_icmpv6_error(const rte_mbuf& offender, icmp_error what,
                                                    std::uint16_t mtu, ipv6_address source,
                                                    rte_mempool& pool) noexcept;

} // namespace fingerpost::router
