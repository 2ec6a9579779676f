// The Ethernet header of a received frame, with its VLAN tag, whether in the frame or removed by the card.
#pragma once

#include <cstdint>

#include <rte_ether.h>
#include <rte_mbuf.h>

#include "router/packet/inspect.hpp"
#include "router/packet/load.hpp"
#include "router/packet/notes.hpp"

namespace fingerpost::router::detail {

// Like DPDK's comparison of six bytes, but with a single 8-byte load: a frame of valid length has two more
// bytes.
inline std::uint64_t mac_bits(const void* address) noexcept {
    return load<std::uint64_t>(address) & RTE_BE64(0xffffffffffff0000);
}
inline std::uint64_t bits_of(const rte_ether_addr& mac) noexcept {
    return load<std::uint32_t>(mac.addr_bytes) |
           static_cast<std::uint64_t>(load<std::uint16_t>(mac.addr_bytes + 4)) << 32;
}
static_assert(RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN, "both put the first byte into the lowest bits");

struct link_view {
    rte_be16_t type = 0; // type of the payload
    std::uint16_t vlan = 0;
    unsigned length = 0;
};

// Takes the VLAN id from the tag removed by the card, or else from the frame's own tag. The frame must have
// at least untagged_length bytes; a frame that ends inside its tag gets length 0.
inline link_view view_link(const rte_mbuf& frame) noexcept {
    constexpr std::uint16_t id_bits = 0x0fff;
    const auto* header = rte_pktmbuf_mtod(&frame, const rte_ether_hdr*);
    if ((frame.ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0)
        return {header->ether_type, static_cast<std::uint16_t>(frame.vlan_tci & id_bits), untagged_length};
    if (header->ether_type != RTE_BE16(RTE_ETHER_TYPE_VLAN))
        return {header->ether_type, 0, untagged_length};
    if (frame.data_len < tagged_length)
        return {};
    const auto* tag = rte_pktmbuf_mtod_offset(&frame, const rte_vlan_hdr*, untagged_length);
    return {tag->eth_proto, static_cast<std::uint16_t>(rte_be_to_cpu_16(tag->vlan_tci) & id_bits),
            tagged_length};
}

// Id 0 is only a priority: the frame belongs to the untagged interface, which every port has.
inline bool has_interface(const ingress& port, std::uint16_t vlan) noexcept {
    return vlan == 0 || port.vlans[vlan];
}

// True if the frame is for one of the port's additional MAC addresses.
inline bool is_for_another(const ingress& port, std::uint64_t destination, std::uint16_t vlan) noexcept {
    for (const further_mac& other : port.others)
        if (bits_of(other.mac) == destination && other.vlan == vlan)
            return true;
    return false;
}

} // namespace fingerpost::router::detail
