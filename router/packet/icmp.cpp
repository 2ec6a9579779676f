// Decides which packets may be answered, and builds the messages.

// For rte_ipv6_get_next_ext(), which is unchanged in later DPDK releases.
#define ALLOW_EXPERIMENTAL_API
#include "router/packet/icmp.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <rte_icmp.h>
#include <rte_ip.h>
#include <rte_random.h>

#include "router/packet/address_kind.hpp"
#include "router/packet/notes.hpp"

namespace fingerpost::router {

namespace {

using std::uint8_t;

constexpr std::uint32_t ipv4_most = 576, ipv6_most = 1280;
constexpr uint8_t hops = 64;
constexpr uint8_t tos_bits = 0x1e, internetwork_control = 0xc0;
constexpr uint8_t icmpv6_informational = 0x80, icmpv6_redirect = 137;

struct type_and_code {
    uint8_t type, code;
};
constexpr type_and_code ipv4_codes[] = {{11, 0}, {3, 0}, {3, 1}, {3, 13}, {3, 4}};
constexpr type_and_code ipv6_codes[] = {{3, 0}, {1, 0}, {1, 3}, {1, 1}, {2, 0}};

// Echo, timestamp, information and address mask requests, and their replies.
constexpr bool is_query(uint8_t icmpv4_type) noexcept {
    return icmpv4_type == 0 || icmpv4_type == 8 || (icmpv4_type >= 13 && icmpv4_type <= 18);
}

// Reads bytes of a packet across segments; null if the packet is shorter.
template <std::size_t N>
const uint8_t* read(const rte_mbuf& packet, std::uint32_t at, uint8_t (&buffer)[N]) noexcept {
    return static_cast<const uint8_t*>(rte_pktmbuf_read(&packet, at, N, buffer));
}

bool may_answer_ipv4(const rte_mbuf& packet) noexcept {
    const rte_ipv4_hdr& header = ipv4_header(packet);
    const std::uint32_t source = rte_be_to_cpu_32(header.src_addr);
    constexpr std::uint32_t class_e = 0xf0000000;
    if (kind_of(source) != ipv4_kind::ordinary || source >= class_e ||
        kind_of(rte_be_to_cpu_32(header.dst_addr)) != ipv4_kind::ordinary ||
        (header.fragment_offset & RTE_BE16(RTE_IPV4_HDR_OFFSET_MASK)) != 0)
        return false;
    if (header.next_proto_id != IPPROTO_ICMP)
        return true;
    uint8_t buffer[1];
    const uint8_t* type = read(packet, link_length(packet) + rte_ipv4_hdr_len(&header), buffer);
    return type != nullptr && is_query(*type);
}

// Looks for ICMPv6 after the extension headers. The protocol of a later fragment is unknown: RFC 4443 allows
// errors about such fragments, and Linux sends them.
bool holds_icmpv6_error(const rte_mbuf& packet) noexcept {
    std::uint32_t at = link_length(packet) + static_cast<std::uint32_t>(sizeof(rte_ipv6_hdr));
    int protocol = ipv6_header(packet).proto;
    while (protocol != IPPROTO_ICMPV6) {
        uint8_t buffer[8];
        const uint8_t* header = read(packet, at, buffer);
        if (header == nullptr)
            return false;
        constexpr uint8_t offset_bits = 0xf8;
        if (protocol == IPPROTO_FRAGMENT && (header[2] != 0 || (header[3] & offset_bits) != 0))
            return false;
        std::size_t length = 0;
        protocol = rte_ipv6_get_next_ext(header, protocol, &length);
        if (protocol < 0)
            return false;
        at += static_cast<std::uint32_t>(length);
    }
    uint8_t buffer[1];
    const uint8_t* type = read(packet, at, buffer);
    return type == nullptr || (*type & icmpv6_informational) == 0 || *type == icmpv6_redirect;
}

bool may_answer_ipv6(const rte_mbuf& packet) noexcept {
    const rte_ipv6_hdr& header = ipv6_header(packet);
    const ipv6_kind from = kind_of(header.src_addr), to = kind_of(header.dst_addr);
    return (from == ipv6_kind::ordinary || from == ipv6_kind::link_local) &&
           (to == ipv6_kind::ordinary || to == ipv6_kind::link_local) && !holds_icmpv6_error(packet);
}

// Starts a new packet with notes and an Ethernet header. It quotes the offending packet up to a total IP
// length of `most`. `ip` points to its IP header, `bytes` is the length from there on.
struct message {
    rte_mbuf* packet = nullptr;
    uint8_t* ip = nullptr;
    std::uint32_t bytes = 0;
};

message begin_message(const rte_mbuf& offender, std::uint32_t headers, std::uint32_t most,
                      rte_mempool& pool) noexcept {
    const std::uint32_t quoted = std::min(ip_length(offender), most - headers);
    rte_mbuf* packet = rte_pktmbuf_alloc(&pool);
    if (packet == nullptr)
        return {};
    char* start = rte_pktmbuf_append(packet, static_cast<std::uint16_t>(untagged_length + headers + quoted));
    if (start == nullptr) {
        rte_pktmbuf_free(packet);
        return {};
    }
    auto* ip = reinterpret_cast<uint8_t*>(start) + untagged_length;
    std::memset(start, 0, untagged_length + headers);
    reinterpret_cast<rte_ether_hdr*>(start)->ether_type =
        is_ipv4(offender) ? RTE_BE16(RTE_ETHER_TYPE_IPV4) : RTE_BE16(RTE_ETHER_TYPE_IPV6);
    const void* quotation = rte_pktmbuf_read(&offender, link_length(offender), quoted, ip + headers);
    if (quotation != ip + headers)
        std::memcpy(ip + headers, quotation, quoted);
    copy_notes(offender, *packet);
    note_link_length(*packet, untagged_length);
    return {packet, ip, headers + quoted};
}

} // namespace

std::optional<icmp_error> error_about(drop_reason why, bool ipv4) noexcept {
    switch (why) {
    case drop_reason::ttl_expired:
        return icmp_error::time_exceeded;
    case drop_reason::no_route:
        return icmp_error::no_route;
    case drop_reason::unreachable:
        return ipv4 ? icmp_error::host_unreachable : icmp_error::no_route;
    case drop_reason::unresolved_neighbour:
        return icmp_error::host_unreachable;
    case drop_reason::prohibit:
        return icmp_error::prohibited;
    case drop_reason::too_big:
        return icmp_error::too_big;
    default:
        return std::nullopt;
    }
}

bool may_answer(const rte_mbuf& packet) noexcept {
    if (!rte_is_unicast_ether_addr(&rte_pktmbuf_mtod(&packet, const rte_ether_hdr*)->dst_addr))
        return false;
    return is_ipv4(packet) ? may_answer_ipv4(packet) : is_ipv6(packet) && may_answer_ipv6(packet);
}

expected<rte_mbuf*, icmp_silence> make_icmpv4_error(const rte_mbuf& offender, icmp_error what,
                                                    std::uint16_t mtu, ipv4_address source,
                                                    rte_mempool& pool) noexcept {
    assert(is_ipv4(offender));
    if (!may_answer(offender))
        return unexpected{icmp_silence::forbidden};
    constexpr std::uint32_t headers = sizeof(rte_ipv4_hdr) + sizeof(rte_icmp_hdr);
    const message reply = begin_message(offender, headers, ipv4_most, pool);
    if (reply.packet == nullptr)
        return unexpected{icmp_silence::no_memory};
    const rte_ipv4_hdr& about = ipv4_header(offender);

    auto& ip = *reinterpret_cast<rte_ipv4_hdr*>(reply.ip);
    ip.version_ihl = RTE_IPV4_VHL_DEF;
    ip.type_of_service = static_cast<uint8_t>((about.type_of_service & tos_bits) | internetwork_control);
    ip.total_length = rte_cpu_to_be_16(static_cast<std::uint16_t>(reply.bytes));
    ip.packet_id = static_cast<rte_be16_t>(rte_rand());
    ip.time_to_live = hops;
    ip.next_proto_id = IPPROTO_ICMP;
    ip.src_addr = rte_cpu_to_be_32(source.value);
    ip.dst_addr = about.src_addr;
    ip.hdr_checksum = rte_ipv4_cksum(&ip);

    auto& icmp = *reinterpret_cast<rte_icmp_hdr*>(reply.ip + sizeof ip);
    icmp.icmp_type = ipv4_codes[static_cast<std::size_t>(what)].type;
    icmp.icmp_code = ipv4_codes[static_cast<std::size_t>(what)].code;
    // RFC 1191 4: the MTU is in the second half of the field that other errors leave unused.
    if (what == icmp_error::too_big)
        icmp.icmp_seq_nb = rte_cpu_to_be_16(mtu);
    icmp.icmp_cksum = static_cast<rte_be16_t>(~rte_raw_cksum(&icmp, reply.bytes - sizeof ip));
    return reply.packet;
}

expected<rte_mbuf*, icmp_silence> make_icmpv6_error(const rte_mbuf& offender, icmp_error what,
                                                    std::uint16_t mtu, ipv6_address source,
                                                    rte_mempool& pool) noexcept {
    assert(is_ipv6(offender));
    if (!may_answer(offender))
        return unexpected{icmp_silence::forbidden};
    constexpr std::uint32_t headers = sizeof(rte_ipv6_hdr) + sizeof(rte_icmp_hdr);
    const message reply = begin_message(offender, headers, ipv6_most, pool);
    if (reply.packet == nullptr)
        return unexpected{icmp_silence::no_memory};

    auto& ip = *reinterpret_cast<rte_ipv6_hdr*>(reply.ip);
    constexpr std::uint32_t version = 6u << 28;
    ip.vtc_flow = rte_cpu_to_be_32(version);
    ip.payload_len = rte_cpu_to_be_16(static_cast<std::uint16_t>(reply.bytes - sizeof ip));
    ip.proto = IPPROTO_ICMPV6;
    ip.hop_limits = hops;
    const rte_be64_t halves[] = {rte_cpu_to_be_64(static_cast<std::uint64_t>(source.value >> 64)),
                                 rte_cpu_to_be_64(static_cast<std::uint64_t>(source.value))};
    std::memcpy(ip.src_addr, halves, sizeof halves);
    std::memcpy(ip.dst_addr, ipv6_header(offender).src_addr, sizeof ip.dst_addr);

    auto& icmp = *reinterpret_cast<rte_icmp_hdr*>(reply.ip + sizeof ip);
    icmp.icmp_type = ipv6_codes[static_cast<std::size_t>(what)].type;
    icmp.icmp_code = ipv6_codes[static_cast<std::size_t>(what)].code;
    if (what == icmp_error::too_big)
        icmp.icmp_seq_nb = rte_cpu_to_be_16(mtu);
    icmp.icmp_cksum = rte_ipv6_udptcp_cksum(&ip, &icmp);
    return reply.packet;
}

} // namespace fingerpost::router
