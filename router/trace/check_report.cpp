// Lists the checks in the order in which inspect() makes them.
#include "router/trace/check_report.hpp"

#include <array>
#include <span>

#include "router/packet/address_kind.hpp"
#include "router/packet/notes.hpp"

namespace fingerpost::router {
namespace {

constexpr std::string_view mac = "MAC address", vlan = "VLAN", version = "version", header = "header length",
                           checksum = "checksum", length = "length", source = "source address",
                           destination = "destination address", options = "options";

constexpr std::array link_checks = {mac, vlan};
constexpr std::array ipv4_checks = {mac,    vlan,   version,     header, checksum,
                                    length, source, destination, options};
constexpr std::array ipv6_checks = {mac, vlan, version, length, destination, source, options};

constexpr std::string_view check_of(drop_reason why) noexcept {
    switch (why) {
    case drop_reason::not_for_us:
        return mac;
    case drop_reason::short_frame:
    case drop_reason::unknown_vlan:
        return vlan;
    case drop_reason::bad_ip_version:
        return version;
    case drop_reason::bad_ip_header_length:
        return header;
    case drop_reason::bad_ip_checksum:
        return checksum;
    case drop_reason::martian_source:
        return source;
    case drop_reason::martian_destination:
        return destination;
    case drop_reason::source_route:
        return options;
    default:
        return length;
    }
}

std::string_view why_to_kernel(const record_headers& read) noexcept {
    if (read.ipv4 == nullptr && read.ipv6 == nullptr)
        return "it is neither IPv4 nor IPv6";
    if (read.ipv4 != nullptr) {
        const ipv4_kind to = kind_of(rte_be_to_cpu_32(read.ipv4->dst_addr));
        if (to != ipv4_kind::ordinary)
            return "its destination is a multicast or broadcast address";
    } else {
        const ipv6_kind to = kind_of(read.ipv6->dst_addr);
        if (to == ipv6_kind::multicast)
            return "its destination is a multicast address";
        if (to == ipv6_kind::link_local || kind_of(read.ipv6->src_addr) == ipv6_kind::link_local)
            return "it has a link-local address";
    }
    if (rte_is_unicast_ether_addr(&read.ethernet->dst_addr) == 0)
        return "its frame is a broadcast or multicast";
    return "it has options that a router must examine";
}

} // namespace

record_headers headers_of(const std::uint8_t* bytes, std::size_t count) noexcept {
    record_headers read;
    if (count < untagged_length)
        return read;
    read.ethernet = reinterpret_cast<const rte_ether_hdr*>(bytes);
    read.type = read.ethernet->ether_type;
    read.link = untagged_length;
    if (read.type == RTE_BE16(RTE_ETHER_TYPE_VLAN) && count >= tagged_length) {
        const auto* tag = reinterpret_cast<const rte_vlan_hdr*>(bytes + untagged_length);
        read.type = tag->eth_proto;
        read.vlan = rte_be_to_cpu_16(tag->vlan_tci) & 0x0fff;
        read.link = tagged_length;
    }
    const std::uint8_t* const ip = bytes + read.link;
    if (read.type == RTE_BE16(RTE_ETHER_TYPE_IPV4) && count >= read.link + sizeof(rte_ipv4_hdr))
        read.ipv4 = reinterpret_cast<const rte_ipv4_hdr*>(ip);
    if (read.type == RTE_BE16(RTE_ETHER_TYPE_IPV6) && count >= read.link + sizeof(rte_ipv6_hdr))
        read.ipv6 = reinterpret_cast<const rte_ipv6_hdr*>(ip);
    return read;
}

check_report checks_of(const trace_record& record, verdict what, drop_reason why) {
    const record_headers read = headers_of(record.head.data(), record.head_bytes);
    std::span<const std::string_view> checks = link_checks;
    if (read.ipv4 != nullptr)
        checks = ipv4_checks;
    else if (read.ipv6 != nullptr)
        checks = ipv6_checks;
    check_report result;
    if (what == verdict::drop)
        result.failed = check_of(why);
    if (what == verdict::host)
        result.why = why_to_kernel(read);
    for (const std::string_view check : checks) {
        // Packets passed to the kernel because of their addresses are not checked for options.
        if (check == result.failed || (what == verdict::host && check == options))
            break;
        result.passed += result.passed.empty() ? "" : ", ";
        result.passed += check;
    }
    return result;
}

} // namespace fingerpost::router
