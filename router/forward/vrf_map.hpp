// The VRF of packets by port and VLAN, as read by data threads.
#pragma once

#include <cstdint>
#include <vector>

#include "router/forward/interfaces.hpp"
#include "router/routes/sink/vrf_list.hpp"

namespace fingerpost::router {

struct vrf_map {
    struct port_vrfs {
        vrf_number whole_port = default_vrf; // for all VLANs if `by_vlan` is empty
        std::vector<vrf_number> by_vlan;     // 4,096 entries, or none; entry 0 is for untagged packets

        friend bool operator==(const port_vrfs&, const port_vrfs&) = default;
    };
    std::vector<port_vrfs> ports;

    // `vlan` is below 4,096; 0 stands for untagged packets.
    vrf_number of(std::uint16_t port, std::uint16_t vlan) const noexcept {
        if (port >= ports.size())
            return default_vrf;
        const port_vrfs& entry = ports[port];
        return entry.by_vlan.empty() ? entry.whole_port : entry.by_vlan[vlan];
    }

    friend bool operator==(const vrf_map&, const vrf_map&) = default;
};

// Throws std::bad_alloc.
vrf_map vrf_map_of(const interfaces& links);

} // namespace fingerpost::router
