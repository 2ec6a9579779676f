// The checks of inspect.hpp in words: which ones a packet passed, and what they decided.
#pragma once

#include <string>
#include <string_view>

#include "router/packet/inspect.hpp"
#include "router/watch/trace_record.hpp"

namespace fingerpost::router {

// The headers of a record, as far as they are there; null otherwise.
struct record_headers {
    const rte_ether_hdr* ethernet = nullptr;
    const rte_ipv4_hdr* ipv4 = nullptr;
    const rte_ipv6_hdr* ipv6 = nullptr;
    rte_be16_t type = 0;    // of what follows the Ethernet header and its tag
    std::uint16_t vlan = 0; // of the frame's own tag; 0 without one
    std::size_t link = 0;   // bytes before the IP header
};
record_headers headers_of(const std::uint8_t* bytes, std::size_t count) noexcept;

struct told_checks {
    std::string passed;      // separated by commas
    std::string_view failed; // empty if all were passed
    std::string_view why;    // a packet is given to the kernel; empty for others
};
told_checks checks_of(const trace_record& record, verdict what, drop_reason why);

} // namespace fingerpost::router
