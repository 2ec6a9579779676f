// Uses DPDK's fragmentation, and does the work that DPDK leaves to its caller.

// For rte_ipv4_fragment_copy_nonseg_packet(), which is unchanged in later DPDK releases.
#define ALLOW_EXPERIMENTAL_API
#include "router/packet/fragment.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>

#include <rte_ip.h>
#include <rte_ip_frag.h>

#include "router/packet/notes.hpp"

namespace fingerpost::router {

namespace {

// DPDK expects the IP header at the start of the data, and returns fragments that begin with theirs.
std::int32_t cut(rte_mbuf& packet, std::uint16_t mtu, std::span<rte_mbuf*> into, rte_mempool& pool) noexcept {
    const auto link_bytes = static_cast<std::uint16_t>(link_length(packet));
    const auto room = static_cast<std::uint16_t>(std::min<std::size_t>(into.size(), UINT16_MAX));
    rte_pktmbuf_adj(&packet, link_bytes);
    const std::int32_t count =
        rte_pktmbuf_is_contiguous(&packet)
            ? rte_ipv4_fragment_copy_nonseg_packet(&packet, into.data(), room, mtu, &pool)
            : rte_ipv4_fragment_packet(&packet, into.data(), room, mtu, &pool, &pool);
    rte_pktmbuf_prepend(&packet, link_bytes);
    return count;
}

// Returns false if the mbuf has no room for an Ethernet header.
bool finish(rte_mbuf& part, const rte_mbuf& packet, const std::uint8_t* link) noexcept {
    const auto link_bytes = static_cast<std::uint16_t>(link_length(packet));
    auto* header = rte_pktmbuf_mtod(&part, rte_ipv4_hdr*);
    header->hdr_checksum = 0;
    header->hdr_checksum = rte_ipv4_cksum(header);
    char* front = rte_pktmbuf_prepend(&part, link_bytes);
    if (front == nullptr)
        return false;
    std::memcpy(front, link, link_bytes);
    copy_notes(packet, part);
    note_link_length(part, link_bytes);
    return true;
}

// True for a fragment that would reach beyond the longest datagram: the offsets of its parts would not fit
// into their field.
bool ends_too_late(const rte_mbuf& packet) noexcept {
    const rte_ipv4_hdr& header = ipv4_header(packet);
    const std::uint32_t place = rte_be_to_cpu_16(header.fragment_offset) & RTE_IPV4_HDR_OFFSET_MASK;
    return place * RTE_IPV4_HDR_OFFSET_UNITS + ip_length(packet) > UINT16_MAX;
}

} // namespace

bool may_fragment(const rte_mbuf& packet) noexcept {
    return is_ipv4(packet) && (ipv4_header(packet).fragment_offset & RTE_BE16(RTE_IPV4_HDR_DF_FLAG)) == 0;
}

expected<unsigned, drop_reason> fragment(rte_mbuf& packet, std::uint16_t mtu, std::span<rte_mbuf*> into,
                                         rte_mempool& pool) noexcept {
    // RFC 791: every link carries 68 bytes, the longest header plus eight.
    constexpr std::uint16_t least_mtu = 68;
    if (!may_fragment(packet) || mtu < least_mtu || ends_too_late(packet))
        return unexpected{drop_reason::too_big};
    const std::int32_t count = cut(packet, mtu, into, pool);
    if (count < 0)
        return unexpected{count == -ENOMEM ? drop_reason::no_memory : drop_reason::too_big};
    const auto parts = into.first(static_cast<std::size_t>(count));
    const auto* link = rte_pktmbuf_mtod(&packet, const std::uint8_t*);
    for (rte_mbuf* part : parts)
        if (!finish(*part, packet, link)) {
            rte_pktmbuf_free_bulk(parts.data(), static_cast<unsigned>(count));
            return unexpected{drop_reason::no_memory};
        }
    return static_cast<unsigned>(count);
}

} // namespace fingerpost::router
