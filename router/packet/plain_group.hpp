// The checks of inspect.hpp for a group of frames, provided all are plain: of one family, untagged, for the
// port's first MAC address, in one segment, without options, between ordinary addresses, with a hop left.
//
// Only the length of a frame causes a branch. Fields that must be equal are collected as differences, and
// fields that must be in a range as the minimum and maximum of each byte, 16 bytes at a time (SSE, NEON). One
// branch then decides for all.
//
//      bytes of a frame   0        6        12   14                          30
//      IPv6               to       from     type version .. length next hops source .. destination
//      compared           ======            ==== = half
//      least, greatest                                             ==== ====  =         =  first byte
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "router/packet/burst_headers.hpp"
#include "router/packet/checksum.hpp"
#include "router/packet/inspect.hpp"
#include "router/packet/link.hpp"
#include "router/packet/load.hpp"

namespace fingerpost::router::detail {

inline constexpr std::size_t group_size = 8;

// Decides by its first byte whether an address is ordinary. A few ordinary addresses are rejected: IPv4's
// 255/8, IPv6's ::/8 and fe00::/8.
inline constexpr auto ordinary_ipv4 = [] {
    std::array<bool, 256> table{};
    for (unsigned first = 0; first < 256; ++first)
        table[first] = first != 0 && first != 127 && (first < 224 || first >= 240) && first != 255;
    return table;
}();
inline constexpr std::uint8_t last_ordinary_ipv6 = 0xfd; // the first one is 1
constexpr bool ordinary_ipv6(std::uint8_t first) noexcept {
    return first != 0 && first <= last_ordinary_ipv6;
}

using bytes16 = std::uint8_t __attribute__((vector_size(16)));

inline bytes16 bytes_at(const void* from) noexcept {
    return load<bytes16>(from);
}
inline bool is_zero(bytes16 bytes) noexcept {
    std::uint64_t halves[2];
    std::memcpy(halves, &bytes, sizeof halves);
    return (halves[0] | halves[1]) == 0;
}
inline bytes16 least_of(bytes16 a, bytes16 b) noexcept {
    return a < b ? a : b;
}
inline bytes16 greatest_of(bytes16 a, bytes16 b) noexcept {
    return a > b ? a : b;
}

// Bytes shared by all plain frames of a port and a family.
struct plain_start {
    bytes16 expected{}; // the first bytes of the frame
    bytes16 mask{};     // selects the bytes that must match

    plain_start(std::uint64_t mac, rte_be16_t type, std::uint8_t version,
                std::uint8_t version_mask) noexcept {
        std::memcpy(&expected, &mac, 6);
        std::memset(&mask, 0xff, 6);
        expected[12] = static_cast<std::uint8_t>(type);
        expected[13] = static_cast<std::uint8_t>(type >> 8);
        mask[12] = mask[13] = 0xff;
        expected[14] = version;
        mask[14] = version_mask;
    }
};

// The fields of an mbuf from `data_off` on: one segment, and no tag removed by the card.
struct plain_mbuf {
    bytes16 expected{};
    bytes16 mask{};

    plain_mbuf() noexcept {
        constexpr std::uint16_t one_segment = 1, every_bit = 0xffff;
        constexpr std::uint64_t stripped = RTE_MBUF_F_RX_VLAN_STRIPPED;
        auto* const to = reinterpret_cast<std::uint8_t*>(&expected);
        auto* const which = reinterpret_cast<std::uint8_t*>(&mask);
        std::memcpy(to + segments, &one_segment, sizeof one_segment);
        std::memcpy(which + segments, &every_bit, sizeof every_bit);
        std::memcpy(which + flags, &stripped, sizeof stripped);
    }

    static constexpr std::size_t start = offsetof(rte_mbuf, data_off);
    static constexpr std::size_t segments = offsetof(rte_mbuf, nb_segs) - start;
    static constexpr std::size_t flags = offsetof(rte_mbuf, ol_flags) - start;
    static_assert(flags + sizeof(std::uint64_t) == sizeof(bytes16));
};

// Limits of bytes 20 to 35 of an IPv6 frame, and of its destination: no hop-by-hop options, and a hop left.
struct ipv6_limits {
    bytes16 least{1, 2, 1};
    bytes16 greatest;

    ipv6_limits() noexcept {
        std::memset(&greatest, 0xff, sizeof greatest);
        greatest[2] = last_ordinary_ipv6;
    }
    static constexpr std::size_t start = untagged_length + offsetof(rte_ipv6_hdr, proto);
    static constexpr std::size_t to = untagged_length + offsetof(rte_ipv6_hdr, dst_addr);
};

struct plain_port {
    explicit plain_port(std::uint64_t mac) noexcept
        : ipv6(mac, RTE_BE16(RTE_ETHER_TYPE_IPV6), 0x60, 0xf0),
          ipv4(mac, RTE_BE16(RTE_ETHER_TYPE_IPV4), RTE_IPV4_VHL_DEF, 0xff) {}

    plain_start ipv6;
    plain_start ipv4;
    plain_mbuf mbuf{};
    ipv6_limits limits{};
};

// Writes the notes of a plain packet. `length` counts from the IP header on.
inline void note_plain(rte_mbuf& packet, std::uint32_t type, std::uint32_t length) noexcept {
    const std::uint32_t total = untagged_length + length;
    packet.packet_type = type;
    packet.pkt_len = total;
    packet.data_len = static_cast<std::uint16_t>(total);
    note_vlan(packet, 0);
    note_link_length(packet, untagged_length);
}

// Performs all of inspect() for a group of IPv6 frames, and appends their headers after the first `first`
// ones. If a frame is not plain, returns false and changes no frame.
inline bool forward_plain_ipv6(rte_mbuf* const* frames, const plain_port& on, burst_headers& into,
                               std::size_t first) noexcept {
    bytes16 start{}, mbuf{}, least, greatest, to_least, to_greatest;
    std::memset(&least, 0xff, sizeof least);
    to_least = least;
    to_greatest = greatest = bytes16{};
    std::uint32_t lengths[group_size];
    std::int32_t too_short = 0;
#pragma GCC unroll 1 // otherwise g++ spills the collected vectors
    for (std::size_t i = 0; i < group_size; ++i) {
        const rte_mbuf& frame = *frames[i];
        if (unlikely(frame.data_len < untagged_length + sizeof(rte_ipv6_hdr)))
            return false;
        auto* const bytes = rte_pktmbuf_mtod(&frame, std::uint8_t*);
        start |= bytes_at(bytes) ^ on.ipv6.expected;
        mbuf |=
            bytes_at(reinterpret_cast<const std::uint8_t*>(&frame) + plain_mbuf::start) ^ on.mbuf.expected;
        least = least_of(least, bytes_at(bytes + ipv6_limits::start));
        greatest = greatest_of(greatest, bytes_at(bytes + ipv6_limits::start));
        to_least = least_of(to_least, bytes_at(bytes + ipv6_limits::to));
        to_greatest = greatest_of(to_greatest, bytes_at(bytes + ipv6_limits::to));
        into.ip[first + i] = bytes + untagged_length;
        into.put_ipv6(first + i);
        lengths[i] =
            static_cast<std::uint32_t>(sizeof(rte_ipv6_hdr)) +
            rte_be_to_cpu_16(reinterpret_cast<const rte_ipv6_hdr*>(bytes + untagged_length)->payload_len);
        too_short |= static_cast<std::int32_t>(frame.data_len) -
                     static_cast<std::int32_t>(untagged_length + lengths[i]);
    }
    const bytes16 below = on.limits.least - least_of(on.limits.least, least);
    const bytes16 above = greatest_of(on.limits.greatest, greatest) - on.limits.greatest;
    const bytes16 different = (start & on.ipv6.mask) | (mbuf & on.mbuf.mask) | below | above;
    const bool to_ordinary = to_least[0] != 0 && to_greatest[0] <= last_ordinary_ipv6;
    if (unlikely(!is_zero(different) || too_short < 0 || !to_ordinary))
        return false;
    for (std::size_t i = 0; i < group_size; ++i) {
        note_plain(*frames[i], RTE_PTYPE_L3_IPV6, lengths[i]);
        into.longest = RTE_MAX(into.longest, lengths[i]);
    }
    return true;
}

inline bool forward_plain_ipv4(rte_mbuf* const* frames, const plain_port& on, burst_headers& into,
                               std::size_t first) noexcept {
    bytes16 start{}, mbuf{};
    std::uint32_t lengths[group_size];
    std::int32_t too_short = 0;
    unsigned fine = 1;
#pragma GCC unroll 1 // otherwise g++ spills the collected vectors
    for (std::size_t i = 0; i < group_size; ++i) {
        const rte_mbuf& frame = *frames[i];
        if (unlikely(frame.data_len < untagged_length + sizeof(rte_ipv4_hdr)))
            return false;
        auto* const bytes = rte_pktmbuf_mtod(&frame, std::uint8_t*);
        start |= bytes_at(bytes) ^ on.ipv4.expected;
        mbuf |=
            bytes_at(reinterpret_cast<const std::uint8_t*>(&frame) + plain_mbuf::start) ^ on.mbuf.expected;
        const auto& header = *reinterpret_cast<const rte_ipv4_hdr*>(bytes + untagged_length);
        into.ip[first + i] = bytes + untagged_length;
        into.to4[first + i] = ipv4_from(header.dst_addr);
        lengths[i] = rte_be_to_cpu_16(header.total_length);
        too_short |= static_cast<std::int32_t>(frame.data_len) -
                     static_cast<std::int32_t>(untagged_length + lengths[i]);
        too_short |= static_cast<std::int32_t>(lengths[i]) - static_cast<std::int32_t>(sizeof header);
        const auto* const ip = reinterpret_cast<const std::uint8_t*>(&header);
        // Without branches, which would be unpredictable.
        fine &= static_cast<unsigned>(ordinary_ipv4[ip[12]]) & static_cast<unsigned>(ordinary_ipv4[ip[16]]) &
                static_cast<unsigned>(header.time_to_live > 1);
        fine &= static_cast<unsigned>(checksum_known_good(frame) || checksum_holds(header));
    }
    const bytes16 different = (start & on.ipv4.mask) | (mbuf & on.mbuf.mask);
    if (unlikely(!is_zero(different) || too_short < 0 || fine == 0))
        return false;
    into.ipv4 += group_size;
    for (std::size_t i = 0; i < group_size; ++i) {
        note_plain(*frames[i], RTE_PTYPE_L3_IPV4, lengths[i]);
        into.longest = RTE_MAX(into.longest, lengths[i]);
    }
    return true;
}

// Uses the family of the first frame.
inline bool forward_plain(rte_mbuf* const* frames, const plain_port& on, burst_headers& into,
                          std::size_t first) noexcept {
    if (unlikely(frames[0]->data_len < untagged_length))
        return false;
    const auto type = rte_pktmbuf_mtod(frames[0], const rte_ether_hdr*)->ether_type;
    if (type == RTE_BE16(RTE_ETHER_TYPE_IPV6))
        return forward_plain_ipv6(frames, on, into, first);
    return type == RTE_BE16(RTE_ETHER_TYPE_IPV4) && forward_plain_ipv4(frames, on, into, first);
}

} // namespace fingerpost::router::detail
