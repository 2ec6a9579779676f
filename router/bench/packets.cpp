// Builds the frames and addresses of the router's benchmark.
#include "router/bench/packets.hpp"

#include "router/packet/address_kind.hpp"

namespace fingerpost::bench {
namespace {

constexpr std::uint32_t ipv4_network = 198U << 24 | 18U << 16; // 198.18.0.0/15: a /16 for each port
constexpr std::uint64_t ipv6_network = 0x2001'0002'0000'0000;  // 2001:2::/48: a /64 for each port
constexpr std::uint32_t first_gateway = 256;

void write_link(frame_data& frame, std::uint16_t type) noexcept {
    rte_ether_hdr link{};
    link.dst_addr = port_mac;
    link.src_addr = gateway_mac(0);
    link.ether_type = rte_cpu_to_be_16(type);
    std::memcpy(frame.data(), &link, sizeof link);
}

rte_ipv4_hdr ipv4_header_to(rte_be32_t destination) noexcept {
    rte_ipv4_hdr header{};
    header.version_ihl = RTE_IPV4_VHL_DEF;
    header.total_length = rte_cpu_to_be_16(frame_bytes - sizeof(rte_ether_hdr));
    header.time_to_live = first_hop_limit;
    header.next_proto_id = IPPROTO_RAW;
    header.src_addr = rte_cpu_to_be_32(192U << 24 | 2U << 8 | 1);
    header.dst_addr = destination;
    return header;
}

} // namespace

template <>
frame_data make_frame<ipv4_address>() noexcept {
    frame_data frame{};
    write_link(frame, RTE_ETHER_TYPE_IPV4);
    const rte_ipv4_hdr header = ipv4_header_to(0);
    std::memcpy(frame.data() + sizeof(rte_ether_hdr), &header, sizeof header);
    return frame;
}

template <>
frame_data make_frame<ipv6_address>() noexcept {
    frame_data frame{};
    write_link(frame, RTE_ETHER_TYPE_IPV6);
    rte_ipv6_hdr header{};
    header.vtc_flow = rte_cpu_to_be_32(6U << 28);
    header.payload_len = rte_cpu_to_be_16(frame_bytes - sizeof(rte_ether_hdr) - sizeof header);
    header.proto = IPPROTO_NONE;
    header.hop_limits = first_hop_limit;
    const std::uint8_t source[] = {0x20, 0x01, 0x0d, 0xb8};
    std::memcpy(header.src_addr, source, sizeof source);
    header.src_addr[15] = 1;
    std::memcpy(frame.data() + sizeof(rte_ether_hdr), &header, sizeof header);
    return frame;
}

template <>
wire_address<ipv4_address> on_the_wire(ipv4_address destination) noexcept {
    rte_ipv4_hdr header = ipv4_header_to(rte_cpu_to_be_32(destination.value));
    return {header.dst_addr, rte_ipv4_cksum(&header)};
}

template <>
wire_address<ipv6_address> on_the_wire(ipv6_address destination) noexcept {
    wire_address<ipv6_address> wire;
    const std::uint64_t halves[] = {rte_cpu_to_be_64(top64(destination)),
                                    rte_cpu_to_be_64(bottom64(destination))};
    std::memcpy(wire.destination.data(), halves, sizeof halves);
    return wire;
}

bool is_forwarded(ipv4_address a) noexcept {
    return router::kind_of(a.value) == router::ipv4_kind::ordinary && (a.value & 0xfffe0000) != ipv4_network;
}

bool is_forwarded(ipv6_address a) noexcept {
    const auto bytes = on_the_wire(a).destination;
    const bool is_own = top64(a) >> 16 == ipv6_network >> 16;
    return router::kind_of(bytes.data()) == router::ipv6_kind::ordinary && !is_own;
}

ipv4_address gateway_address(std::uint32_t number, ipv4_address) noexcept {
    return {ipv4_network + ((number & 1) << 16) + first_gateway + number / 2};
}

ipv6_address gateway_address(std::uint32_t number, ipv6_address) noexcept {
    const std::uint64_t network = ipv6_network + (number & 1);
    return {static_cast<u128>(network) << 64 | (first_gateway + number / 2)};
}

} // namespace fingerpost::bench
