// What data threads know of ports and interfaces. The control thread makes it anew when links or addresses
// change; it is never modified, and is freed after a grace period.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "router/forward/interfaces.hpp"
#include "router/forward/newest.hpp"
#include "router/packet/inspect.hpp"

namespace fingerpost::router {

struct links_view {
    // The source addresses of ICMP errors: for IPv4 those for errors that leave by the interface, for IPv6
    // those for errors about packets that came in by it.
    struct sources {
        std::optional<ipv4_address> ipv4{};
        std::optional<ipv6_address> ipv6{};
    };

    std::vector<ingress> ports{};
    std::map<std::uint32_t, sources> by_interface{};
    // The number of the interface on a port, for a VLAN or, with 0, for untagged frames.
    std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> by_port_and_vlan{};
};

// `macs` are those of the devices: a port gets that of its TAP as soon as the kernel has reported it.
links_view view_of(const interfaces& links, std::span<const rte_ether_addr> macs, const flow_key& flows);

// Data threads load it once a round.
using published_links = newest<links_view>;

} // namespace fingerpost::router
