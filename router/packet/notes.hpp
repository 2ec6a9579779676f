// Notes that travel with a packet from thread to thread, in mbuf fields that DPDK leaves to the application
// between receiving and sending.
//
//   note          field           written by
//   ingress port  port            driver
//   VLAN          vlan_tci        inspect(): id of the interface that the packet arrived on, 0 if untagged
//   family        packet_type     inspect(): RTE_PTYPE_L3_IPV4, RTE_PTYPE_L3_IPV6, or 0 for neither
//   link length   vlan_tci_outer  inspect(), rewrite(): bytes before the IP header, 14 or 18
//   flow hash     hash.rss        driver, inspect() or note_flow()
//   next hop      hash.fdir.hi    the lookup: its number
//
// These fields have no other use: no port of the router strips a second tag. All of them are in the first
// cache line of the mbuf, which a driver has just written, so that forwarding never reads the second line.
#pragma once

#include <cstdint>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>

#include "fingerpost/net/address.hpp"
#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::router {

inline constexpr unsigned untagged_length = sizeof(rte_ether_hdr);
inline constexpr unsigned tagged_length = sizeof(rte_ether_hdr) + sizeof(rte_vlan_hdr);

inline std::uint16_t ingress_port(const rte_mbuf& packet) noexcept {
    return packet.port;
}
inline void note_ingress_port(rte_mbuf& packet, std::uint16_t port) noexcept {
    packet.port = port;
}

inline std::uint16_t vlan_of(const rte_mbuf& packet) noexcept {
    return packet.vlan_tci;
}
inline void note_vlan(rte_mbuf& packet, std::uint16_t id) noexcept {
    packet.vlan_tci = id;
}

inline bool is_ipv4(const rte_mbuf& packet) noexcept {
    return packet.packet_type == RTE_PTYPE_L3_IPV4;
}
inline bool is_ipv6(const rte_mbuf& packet) noexcept {
    return packet.packet_type == RTE_PTYPE_L3_IPV6;
}
inline void note_ipv4(rte_mbuf& packet) noexcept {
    packet.packet_type = RTE_PTYPE_L3_IPV4;
}
inline void note_ipv6(rte_mbuf& packet) noexcept {
    packet.packet_type = RTE_PTYPE_L3_IPV6;
}
inline void note_not_ip(rte_mbuf& packet) noexcept {
    packet.packet_type = RTE_PTYPE_UNKNOWN;
}

inline unsigned link_length(const rte_mbuf& packet) noexcept {
    return packet.vlan_tci_outer;
}
inline void note_link_length(rte_mbuf& packet, unsigned bytes) noexcept {
    packet.vlan_tci_outer = static_cast<std::uint16_t>(bytes);
}

inline std::uint32_t flow_hash(const rte_mbuf& packet) noexcept {
    return packet.hash.rss;
}
inline void note_flow_hash(rte_mbuf& packet, std::uint32_t hash) noexcept {
    packet.hash.rss = hash;
}

inline next_hop next_hop_of(const rte_mbuf& packet) noexcept {
    return next_hop{packet.hash.fdir.hi};
}
inline void note_next_hop(rte_mbuf& packet, next_hop hop) noexcept {
    packet.hash.fdir.hi = hop.id;
}

// The IP header of a packet that inspect() has accepted, and the length from there on in bytes.
inline const rte_ipv4_hdr& ipv4_header(const rte_mbuf& packet) noexcept {
    return *rte_pktmbuf_mtod_offset(&packet, const rte_ipv4_hdr*, link_length(packet));
}
inline const rte_ipv6_hdr& ipv6_header(const rte_mbuf& packet) noexcept {
    return *rte_pktmbuf_mtod_offset(&packet, const rte_ipv6_hdr*, link_length(packet));
}
inline std::uint32_t ip_length(const rte_mbuf& packet) noexcept {
    return packet.pkt_len - link_length(packet);
}

// The part of this length that is in the first segment.
inline std::uint32_t ip_length_here(const rte_mbuf& packet) noexcept {
    return packet.data_len - link_length(packet);
}

// Convert addresses to the library's form.
inline ipv4_address ipv4_from(rte_be32_t address) noexcept {
    return {rte_be_to_cpu_32(address)};
}
// Converts one half of an IPv6 address.
inline std::uint64_t half_from(const std::uint8_t* bytes) noexcept {
    std::uint64_t half;
    __builtin_memcpy(&half, bytes, sizeof half);
    return rte_be_to_cpu_64(half);
}
inline ipv6_address ipv6_from(const std::uint8_t (&address)[16]) noexcept {
    return from_halves<ipv6_address>(half_from(address), half_from(address + 8));
}

// Copies all notes except the link length and those that depend on the frame's data.
inline void copy_notes(const rte_mbuf& from, rte_mbuf& to) noexcept {
    to.port = from.port;
    to.vlan_tci = from.vlan_tci;
    to.packet_type = from.packet_type;
    to.hash = from.hash;
}

} // namespace fingerpost::router
