// Describes the checks of inspect.hpp: those that a packet passed, and the outcome.
#pragma once

#include <string>
#include <string_view>

#include "router/packet/inspect.hpp"
#include "router/watch/trace_record.hpp"

namespace fingerpost::router {

// The headers in a record; null if they are incomplete.
struct record_headers {
    const rte_ether_hdr* ethernet = nullptr;
    const rte_ipv4_hdr* ipv4 = nullptr;
    const rte_ipv6_hdr* ipv6 = nullptr;
    rte_be16_t type = 0;    // of the payload of the Ethernet frame
    std::uint16_t vlan = 0; // from the frame's own tag; 0 without one
    std::size_t link = 0;   // bytes before the IP header
};
record_headers headers_of(const std::uint8_t* bytes, std::size_t count) noexcept;

struct check_report {
    std::string passed;      // separated by commas
    std::string_view failed; // empty if the packet passed all checks
    std::string_view why;    // reason for passing the packet to the kernel; otherwise empty
};
check_report checks_of(const trace_record& record, verdict what, drop_reason why);

} // namespace fingerpost::router
