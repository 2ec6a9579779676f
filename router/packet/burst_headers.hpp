// By-products of the checks of a burst, so that later stages need not read them from each mbuf again: the
// places of the IP headers, the addresses to look up, and whether all packets are plain.
//
// Belongs to one thread. After a ring, the next thread restores it from the notes of the packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rte_mbuf.h>

#include "router/packet/notes.hpp"
#include "router/packet/rewrite.hpp"

namespace fingerpost::router {

inline constexpr std::size_t most_in_burst = 64;

// The packets are those that inspect() has accepted for forwarding, in burst order.
struct burst_headers {
    std::array<std::uint8_t*, most_in_burst> ip;
    // Destinations in host order. A packet only has entries in the lists of its own family.
    std::array<ipv4_address, most_in_burst> to4;
    std::array<std::uint64_t, most_in_burst> first6; // upper halves
    std::array<std::uint64_t, most_in_burst> low6;
    std::uint32_t ipv4 = 0;    // number of IPv4 packets
    std::uint32_t longest = 0; // length of the longest packet from its IP header on, in bytes
    bool plain = true;         // no packet arrived with a tag in the frame, and all have a hop left

    void clear() noexcept {
        ipv4 = longest = 0;
        plain = true;
    }
    bool are_all_ipv4(std::size_t count) const noexcept { return ipv4 == count; }
    bool are_all_ipv6() const noexcept { return ipv4 == 0; }

    // Restores one packet from its notes.
    void put(std::size_t i, rte_mbuf& packet) noexcept {
        ip[i] = rte_pktmbuf_mtod_offset(&packet, std::uint8_t*, link_length(packet));
        if (is_ipv4(packet))
            put_ipv4(i);
        else
            put_ipv6(i);
        const std::uint32_t length = ip_length(packet);
        longest = length > longest ? length : longest;
        plain &= link_length(packet) == untagged_length && may_hop(packet);
    }
    void put_ipv4(std::size_t i) noexcept {
        to4[i] = ipv4_from(reinterpret_cast<const rte_ipv4_hdr*>(ip[i])->dst_addr);
        ++ipv4;
    }
    void put_ipv6(std::size_t i) noexcept {
        const std::uint8_t* const to = reinterpret_cast<const rte_ipv6_hdr*>(ip[i])->dst_addr;
        first6[i] = half_from(to);
        low6[i] = half_from(to + 8);
    }
};

// Replaces the contents of `into` using the notes of packets that another thread has checked.
inline void read_headers(std::span<rte_mbuf* const> burst, burst_headers& into) noexcept {
    into.clear();
    for (std::size_t i = 0; i < burst.size(); ++i)
        into.put(i, *burst[i]);
}

} // namespace fingerpost::router
