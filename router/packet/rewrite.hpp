// Changes a packet on its way between two links: its TTL or hop limit, and its Ethernet header.
//
// All functions take packets that inspect() has accepted, and keep the link length in their notes up to date.
// They write to the packet's data, so no other mbuf may share it. They need room for the longest header
// before the IP header, which mbufs with DPDK's usual headroom have.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>

#include <rte_branch_prediction.h>
#include <rte_ether.h>
#include <rte_mbuf.h>

#include "router/packet/load.hpp"
#include "router/packet/notes.hpp"

namespace fingerpost::router {

// The Ethernet header of an exit, with or without a VLAN tag, for both families.
class link_header {
  public:
    static constexpr unsigned most_bytes = tagged_length;

    link_header() noexcept = default;
    // `vlan` is the id of the tag to send with; 0 for none.
    link_header(const rte_ether_addr& to, const rte_ether_addr& from, std::uint16_t vlan = 0) noexcept;

    unsigned length() const noexcept { return length_; }
    std::span<const std::uint8_t, most_bytes> bytes() const noexcept { return bytes_; }
    std::span<std::uint8_t, most_bytes> bytes() noexcept { return bytes_; }
    // Writes the header before an IP header of the given family, in overlapping words, without a branch on
    // the length. Bytes before the header are not written, because they are usually in another cache line.
    void write_before(std::uint8_t* ip, bool ipv4) const noexcept {
        constexpr std::size_t word = sizeof(std::uint64_t), second = untagged_length - word;
        std::uint8_t* const start = ip - length_;
        std::memcpy(start, bytes_.data(), word);
        std::memcpy(start + second, bytes_.data() + second, word);
        std::memcpy(ip - word, bytes_.data() + length_ - word, word);
        const rte_be16_t type = ipv4 ? RTE_BE16(RTE_ETHER_TYPE_IPV4) : RTE_BE16(RTE_ETHER_TYPE_IPV6);
        std::memcpy(ip - sizeof type, &type, sizeof type);
    }

    // Writes the two MAC addresses at the start of a frame. The type after them is unchanged.
    void write_macs(std::uint8_t* frame) const noexcept {
        constexpr std::size_t both = 2 * sizeof(rte_ether_addr), word = sizeof(std::uint64_t);
        const auto start = detail::load<std::uint64_t>(bytes_.data());
        const auto end = detail::load<std::uint32_t>(bytes_.data() + word);
        std::memcpy(frame, &start, word);
        std::memcpy(frame + word, &end, both - word);
    }

    friend bool operator==(const link_header&, const link_header&) = default;

  private:
    std::array<std::uint8_t, most_bytes> bytes_{};
    std::uint8_t length_ = untagged_length;
};

// Data needed to send a packet, in addition to its port.
struct way_out {
    link_header header;
    std::uint16_t mtu = 0;

    friend bool operator==(const way_out&, const way_out&) = default;
};

inline std::uint8_t hops_left(const rte_mbuf& packet) noexcept {
    return is_ipv4(packet) ? ipv4_header(packet).time_to_live : ipv6_header(packet).hop_limits;
}
// RFC 1812 5.3.1: a packet with a TTL of 1 must not be forwarded.
inline bool may_hop(const rte_mbuf& packet) noexcept {
    return hops_left(packet) > 1;
}
inline bool fits(const rte_mbuf& packet, std::uint16_t mtu) noexcept {
    return ip_length(packet) <= mtu;
}

namespace detail {

inline void count_hop(std::uint8_t* ip, bool ipv4) noexcept {
    if (!ipv4) {
        --reinterpret_cast<rte_ipv6_hdr*>(ip)->hop_limits;
        return;
    }
    // TTL, protocol and checksum are one 32-bit word. Ones' complement sums do not depend on the byte order,
    // so the halves of the word are used as they are in memory.
    auto* const header = reinterpret_cast<rte_ipv4_hdr*>(ip);
    constexpr std::uint32_t one_hop = RTE_BE16(0x0100);
    std::uint32_t sum = static_cast<std::uint16_t>(~header->hdr_checksum) + (0xffff - one_hop);
    sum = (sum & 0xffff) + (sum >> 16);
    header->hdr_checksum = static_cast<rte_be16_t>(~sum);
    --header->time_to_live;
}

inline void change_link_length(rte_mbuf& packet, unsigned before, unsigned after) noexcept {
    assert(packet.data_off + before >= after);
    if (before == after)
        return;
    packet.data_off = static_cast<std::uint16_t>(packet.data_off + before - after);
    packet.data_len = static_cast<std::uint16_t>(packet.data_len + after - before);
    packet.pkt_len += after - before;
    note_link_length(packet, after);
}

} // namespace detail

// Counts one hop; the packet must have one left. The IPv4 checksum is updated by RFC 1624 equation 3, which
// gives the same result as computing it from the header.
inline void count_hop(rte_mbuf& packet) noexcept {
    assert(may_hop(packet));
    detail::count_hop(rte_pktmbuf_mtod_offset(&packet, std::uint8_t*, link_length(packet)), is_ipv4(packet));
}

// Replaces the Ethernet header, which can push, pop or change the tag.
inline void replace_link(rte_mbuf& packet, const link_header& header) noexcept {
    const unsigned before = link_length(packet);
    header.write_before(rte_pktmbuf_mtod_offset(&packet, std::uint8_t*, before), is_ipv4(packet));
    detail::change_link_length(packet, before, header.length());
}

// Counts the hop of a packet and replaces its Ethernet header with that of its exit. Returns false, with the
// packet unchanged, if it has no hop left or does not fit.
inline bool rewrite(rte_mbuf& packet, const way_out& way) noexcept {
    if (unlikely(!may_hop(packet) || !fits(packet, way.mtu)))
        return false;
    // The compiler must assume that writing the header may change the mbuf, so read it once before.
    const unsigned before = link_length(packet);
    const bool ipv4 = is_ipv4(packet);
    auto* const ip = rte_pktmbuf_mtod_offset(&packet, std::uint8_t*, before);
    detail::change_link_length(packet, before, way.header.length());
    detail::count_hop(ip, ipv4);
    way.header.write_before(ip, ipv4);
    return true;
}

// Puts a tag that the network card has removed back into the frame, as the kernel expects it on a TAP. A
// frame that contains its tag is unchanged. Returns false if the mbuf has no room.
bool put_tag_back(rte_mbuf& frame) noexcept;

} // namespace fingerpost::router
