// The hash of a packet's flow. It selects the rings that the packet passes through, and the member of a
// next-hop group.
//
// It covers both addresses, the protocol and, if available, the ports of TCP, UDP, UDP-Lite, SCTP and DCCP.
// Ports in fragments, including first ones, are excluded, so that all fragments of a packet stay together.
// Ports after IPv6 extension headers are also excluded, and so is the IPv6 flow label: network cards do not
// hash it, and some senders change it within a flow.
//
// The hash is keyed (fingerpost/base/keyed_hash.hpp), so that an outside attacker cannot choose flows that
// all take one path.
#pragma once

#include <cstdint>

#include <rte_byteorder.h>
#include <rte_ip.h>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/keyed_hash.hpp"
#include "router/packet/load.hpp"
#include "router/packet/notes.hpp"

namespace fingerpost::router {

namespace detail {

constexpr std::uint64_t bits_of_protocols_with_ports =
    std::uint64_t{1} << IPPROTO_TCP | std::uint64_t{1} << IPPROTO_UDP | std::uint64_t{1} << IPPROTO_DCCP;

constexpr bool has_ports(std::uint8_t protocol) noexcept {
    return (protocol < 64 && (bits_of_protocols_with_ports >> protocol & 1) != 0) ||
           protocol == IPPROTO_SCTP || protocol == IPPROTO_UDPLITE;
}

} // namespace detail

class flow_key {
  public:
    flow_key() noexcept : sources_(hash_key::random()), destinations_(hash_key::random()) {}
    // For tests and measurements: equal seeds give equal hashes.
    explicit flow_key(std::uint64_t seed) noexcept : sources_(seed), destinations_(~seed) {}

    // `length` is the number of readable bytes from the header on: at least 20, for IPv6 at least 40.
    std::uint32_t of_ipv4(const rte_ipv4_hdr& header, std::uint32_t length) const noexcept {
        const bool fragment =
            (header.fragment_offset & RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)) != 0;
        const std::uint32_t start = rte_ipv4_hdr_len(&header);
        const bool ports = detail::has_ports(header.next_proto_id) && !fragment && start + 4 <= length;
        const std::uint64_t rest =
            static_cast<std::uint64_t>(ports ? load_ports(&header, start) : 0) << 32 | header.next_proto_id;
        return sources_.hash(static_cast<u128>(rest) << 64 | detail::load<std::uint64_t>(&header.src_addr));
    }
    std::uint32_t of_ipv6(const rte_ipv6_hdr& header, std::uint32_t length) const noexcept {
        const bool ports = detail::has_ports(header.proto) && sizeof header + 4 <= length;
        return sources_.hash(detail::load<u128>(header.src_addr),
                             ports ? load_ports(&header, sizeof header) : 0) ^
               destinations_.hash(detail::load<u128>(header.dst_addr), header.proto);
    }

  private:
    static std::uint32_t load_ports(const void* header, std::size_t start) noexcept {
        return detail::load<std::uint32_t>(static_cast<const std::uint8_t*>(header) + start);
    }

    hash_key sources_;
    hash_key destinations_; // for IPv6 only, because both of its addresses do not fit into one number
};

// Ensures that flow_hash() is valid. The checks of whole bursts skip the hash, so the code that needs it
// calls this function: to choose a ring or a group member, and in the host thread.
inline void note_flow(rte_mbuf& packet, const flow_key& key) noexcept {
    if ((packet.ol_flags & RTE_MBUF_F_RX_RSS_HASH) == 0)
        note_flow_hash(packet, is_ipv4(packet) ? key.of_ipv4(ipv4_header(packet), ip_length_here(packet))
                                               : key.of_ipv6(ipv6_header(packet), ip_length_here(packet)));
}

} // namespace fingerpost::router
