// What the checks of a burst find out in passing, so that later stages need not read it from each mbuf again:
// where the IP headers are, which addresses are to be looked up, and whether all packets are plain.
//
// It belongs to one thread. Behind a ring the next thread reads it from the notes of the packets.
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

// The packets are those that inspect() has accepted for forwarding, in the order of their burst.
struct burst_headers {
    std::array<std::uint8_t*, most_in_burst> ip;
    // Destinations in host order. A packet has an entry in the lists of its own family only.
    std::array<ipv4_address, most_in_burst> to4;
    std::array<std::uint64_t, most_in_burst> first6; // halves
    std::array<std::uint64_t, most_in_burst> low6;
    std::uint32_t ipv4 = 0;    // so many are IPv4
    std::uint32_t longest = 0; // bytes of the longest packet from its IP header on
    bool plain = true;         // each came in without a tag in the frame, and has a hop left

    void clear() noexcept {
        ipv4 = longest = 0;
        plain = true;
    }
    bool are_all_ipv4(std::size_t count) const noexcept { return ipv4 == count; }
    bool are_all_ipv6() const noexcept { return ipv4 == 0; }

    // Reads what the notes of the packet say.
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

// Replaces what is in `into`, by the notes of packets that another thread has checked.
inline void read_headers(std::span<rte_mbuf* const> burst, burst_headers& into) noexcept {
    into.clear();
    for (std::size_t i = 0; i < burst.size(); ++i)
        into.put(i, *burst[i]);
}

} // namespace fingerpost::router
