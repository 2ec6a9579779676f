// The data threads' view of ports and interfaces. When links or addresses change, the control thread builds a
// new view. A view is never modified, and is freed after a grace period.
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
    // Source addresses of ICMP errors: for IPv4, of errors that leave by the interface; for IPv6, of errors
    // about packets that arrived on it.
    struct sources {
        std::optional<ipv4_address> ipv4{};
        std::optional<ipv6_address> ipv6{};
    };

    std::vector<ingress> ports{};
    std::map<std::uint32_t, sources> by_interface{};
    // Interface number by port and VLAN; VLAN 0 stands for untagged frames.
    std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> by_port_and_vlan{};
};

// `macs` are the addresses of the devices. A port gets its TAP's address once the kernel has reported it.
links_view view_of(const interfaces& links, std::span<const rte_ether_addr> macs, const flow_key& flows);

// Data threads load it once per round.
using published_links = newest<links_view>;

} // namespace fingerpost::router
