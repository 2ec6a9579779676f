// The header checksum of received IPv4 packets.
#pragma once

#include <cstdint>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "router/packet/load.hpp"

namespace fingerpost::router::detail {

// For a header without options. Adds 32-bit words, which is half the work of DPDK's general function.
inline bool checksum_holds(const rte_ipv4_hdr& header) noexcept {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&header);
    std::uint64_t sum = load<std::uint32_t>(bytes + 16);
    sum += load<std::uint64_t>(bytes) & 0xffffffff;
    sum += load<std::uint64_t>(bytes) >> 32;
    sum += load<std::uint64_t>(bytes + 8) & 0xffffffff;
    sum += load<std::uint64_t>(bytes + 8) >> 32;
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}
inline bool checksum_known_good(const rte_mbuf& frame) noexcept {
    return (frame.ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) == RTE_MBUF_F_RX_IP_CKSUM_GOOD;
}

} // namespace fingerpost::router::detail
