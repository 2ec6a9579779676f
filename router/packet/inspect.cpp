// Checks one frame, in the order of its bytes.
#include "router/packet/inspect.hpp"

#include <optional>
#include <span>

#include "router/packet/address_kind.hpp"
#include "router/packet/checksum.hpp"
#include "router/packet/ip_options.hpp"
#include "router/packet/link.hpp"
#include "router/packet/notes.hpp"

namespace fingerpost::router {

namespace {

using std::uint8_t;

constexpr inspected dropped(drop_reason why) noexcept {
    return {verdict::drop, why};
}
constexpr inspected to_host{verdict::host, {}};

// The frame from one header on: its length in the first segment, and its total length.
struct rest_of_frame {
    const uint8_t* bytes;
    std::uint32_t contiguous;
    std::uint32_t length;
};

rest_of_frame rest_after(const rte_mbuf& frame, unsigned link_bytes) noexcept {
    return {rte_pktmbuf_mtod_offset(&frame, const uint8_t*, link_bytes),
            frame.data_len - static_cast<std::uint32_t>(link_bytes),
            frame.pkt_len - static_cast<std::uint32_t>(link_bytes)};
}

// Removes the bytes after the packet, usually the padding of short frames.
void trim(rte_mbuf& frame, std::uint32_t length) noexcept {
    if (frame.pkt_len == length)
        return;
    rte_mbuf* last = &frame;
    std::uint32_t before = 0;
    std::uint16_t segments = 1;
    for (; before + last->data_len < length; last = last->next, ++segments)
        before += last->data_len;
    rte_pktmbuf_free(last->next);
    last->next = nullptr;
    last->data_len = static_cast<std::uint16_t>(length - before);
    frame.nb_segs = segments;
    frame.pkt_len = length;
}

bool holds(const rte_ipv4_hdr& header, const rte_mbuf& frame) noexcept {
    return detail::checksum_known_good(frame) || rte_ipv4_cksum(&header) == 0;
}

std::optional<drop_reason> fault_of_ipv4(const rest_of_frame& rest, const rte_mbuf& frame) noexcept {
    if (rest.contiguous < sizeof(rte_ipv4_hdr))
        return drop_reason::truncated;
    const auto& header = *reinterpret_cast<const rte_ipv4_hdr*>(rest.bytes);
    if (header.version != IPVERSION)
        return drop_reason::bad_ip_version;
    if (header.ihl < RTE_IPV4_MIN_IHL)
        return drop_reason::bad_ip_header_length;
    if (rest.contiguous < rte_ipv4_hdr_len(&header))
        return drop_reason::truncated;
    if (!holds(header, frame))
        return drop_reason::bad_ip_checksum;
    if (rte_be_to_cpu_16(header.total_length) > rest.length)
        return drop_reason::truncated;
    if (rte_be_to_cpu_16(header.total_length) < rte_ipv4_hdr_len(&header))
        return drop_reason::bad_ip_total_length;
    return std::nullopt;
}

// Decides by the addresses alone; forward_ipv4 if they do not decide.
inspected inspect_ipv4_addresses(const rte_ipv4_hdr& header) noexcept {
    const std::uint32_t source = rte_be_to_cpu_32(header.src_addr);
    const std::uint32_t destination = rte_be_to_cpu_32(header.dst_addr);
    const ipv4_kind from = kind_of(source), to = kind_of(destination);
    if (from != ipv4_kind::ordinary && from != ipv4_kind::this_network)
        return dropped(drop_reason::martian_source);
    if (to == ipv4_kind::limited_broadcast || to == ipv4_kind::multicast || (source == 0 && destination == 0))
        return to_host;
    if (from == ipv4_kind::this_network)
        return dropped(drop_reason::martian_source);
    if (to != ipv4_kind::ordinary)
        return dropped(drop_reason::martian_destination);
    return {verdict::forward_ipv4, {}};
}

inspected inspect_ipv4(rte_mbuf& frame, unsigned link_bytes, bool ours) noexcept {
    const rest_of_frame rest = rest_after(frame, link_bytes);
    if (const auto fault = fault_of_ipv4(rest, frame))
        return dropped(*fault);
    const auto& header = *reinterpret_cast<const rte_ipv4_hdr*>(rest.bytes);
    trim(frame, link_bytes + rte_be_to_cpu_16(header.total_length));
    note_ipv4(frame);
    const inspected by_addresses = inspect_ipv4_addresses(header);
    if (by_addresses.what != verdict::forward_ipv4)
        return by_addresses;
    const std::span options(rest.bytes + sizeof header, rte_ipv4_hdr_len(&header) - sizeof header);
    const options_verdict by_options = inspect_ipv4_options(options);
    if (by_options == options_verdict::source_route)
        return dropped(drop_reason::source_route);
    return ours && by_options == options_verdict::forward ? by_addresses : to_host;
}

inspected inspect_ipv6_addresses(const rte_ipv6_hdr& header) noexcept {
    const ipv6_kind from = kind_of(header.src_addr), to = kind_of(header.dst_addr);
    if (to == ipv6_kind::loopback || to == ipv6_kind::unspecified || to == ipv6_kind::narrow_multicast)
        return dropped(drop_reason::martian_destination);
    if (from != ipv6_kind::ordinary && from != ipv6_kind::link_local && from != ipv6_kind::unspecified)
        return dropped(drop_reason::martian_source);
    if (to == ipv6_kind::multicast)
        return to_host;
    if (from == ipv6_kind::unspecified)
        return dropped(drop_reason::martian_source);
    if (from == ipv6_kind::link_local || to == ipv6_kind::link_local)
        return to_host;
    return {verdict::forward_ipv6, {}};
}

// Checks too that the header is complete and in the first segment: a packet with a truncated header must not
// be forwarded.
options_verdict inspect_extensions(const rte_ipv6_hdr& header, const rest_of_frame& rest) noexcept {
    if (header.proto != IPPROTO_HOPOPTS)
        return options_verdict::forward;
    const std::uint32_t available = RTE_MIN(rest.contiguous, static_cast<std::uint32_t>(sizeof header) +
                                                                 rte_be_to_cpu_16(header.payload_len));
    if (available < sizeof header + 8)
        return options_verdict::host;
    const uint8_t* options = rest.bytes + sizeof header;
    const std::uint32_t length = 8u * (options[1] + 1u);
    if (available < sizeof header + length)
        return options_verdict::host;
    return inspect_hop_by_hop({options + 2, length - 2});
}

inspected inspect_ipv6(rte_mbuf& frame, unsigned link_bytes, bool ours) noexcept {
    const rest_of_frame rest = rest_after(frame, link_bytes);
    if (rest.contiguous < sizeof(rte_ipv6_hdr))
        return dropped(drop_reason::truncated);
    const auto& header = *reinterpret_cast<const rte_ipv6_hdr*>(rest.bytes);
    if (rest.bytes[0] >> 4 != 6)
        return dropped(drop_reason::bad_ip_version);
    const std::uint32_t length =
        static_cast<std::uint32_t>(sizeof header) + rte_be_to_cpu_16(header.payload_len);
    // The length of a jumbo payload is in a hop-by-hop option, which the host reads (RFC 2675).
    const bool jumbo = header.payload_len == 0 && header.proto == IPPROTO_HOPOPTS;
    if (length > rest.length)
        return dropped(drop_reason::truncated);
    note_ipv6(frame);
    const inspected by_addresses = inspect_ipv6_addresses(header);
    if (!jumbo && by_addresses.what != verdict::drop)
        trim(frame, link_bytes + length);
    if (by_addresses.what != verdict::forward_ipv6)
        return by_addresses;
    return ours && inspect_extensions(header, rest) == options_verdict::forward ? by_addresses : to_host;
}

} // namespace

inspected inspect(rte_mbuf& frame, const ingress& port) noexcept {
    if (frame.data_len < untagged_length)
        return dropped(drop_reason::short_frame);
    const auto& header = *rte_pktmbuf_mtod(&frame, const rte_ether_hdr*);
    const detail::link_view link = detail::view_link(frame);
    const bool ours = rte_is_same_ether_addr(&header.dst_addr, &port.mac) != 0 ||
                      detail::is_for_another(port, detail::bits_of(header.dst_addr), link.vlan);
    if (!ours && rte_is_unicast_ether_addr(&header.dst_addr))
        return dropped(drop_reason::not_for_us);
    if (link.length == 0)
        return dropped(drop_reason::short_frame);
    if (!detail::has_interface(port, link.vlan))
        return dropped(drop_reason::unknown_vlan);
    note_vlan(frame, link.vlan);
    note_link_length(frame, link.length);
    note_not_ip(frame);
    inspected result = to_host;
    if (link.type == RTE_BE16(RTE_ETHER_TYPE_IPV4))
        result = inspect_ipv4(frame, link.length, ours);
    else if (link.type == RTE_BE16(RTE_ETHER_TYPE_IPV6))
        result = inspect_ipv6(frame, link.length, ours);
    if (result.what == verdict::forward_ipv4 || result.what == verdict::forward_ipv6)
        note_flow(frame, port.flows);
    return result;
}

} // namespace fingerpost::router
