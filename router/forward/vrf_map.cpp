// Builds the data threads' map of VRFs.
#include "router/forward/vrf_map.hpp"

namespace fingerpost::router {
namespace {

constexpr std::size_t vlan_count = 4096;

void set_vlan(vrf_map::port_vrfs& port, std::uint16_t vlan, vrf_number vrf) {
    if (port.by_vlan.empty() && port.whole_port != vrf)
        port.by_vlan.assign(vlan_count, port.whole_port);
    if (!port.by_vlan.empty())
        port.by_vlan[vlan] = vrf;
}

} // namespace

vrf_map vrf_map_of(const interfaces& links) {
    vrf_map map;
    map.ports.resize(links.port_count());
    if (links.vrfs().has_one())
        return map;
    for (std::size_t port = 0; port < map.ports.size(); ++port)
        map.ports[port].whole_port = links.vrfs().of(static_cast<std::uint16_t>(port), 0);
    // Untagged packets first, because most ports belong to a single VRF.
    for (const bool tagged : {false, true})
        links.each_link([&](const link_state& link) {
            const auto out = links.find_egress(link.index);
            if (!out || link.macvlan || (out->vlan != 0) != tagged)
                return;
            vrf_map::port_vrfs& port = map.ports[out->port];
            if (tagged)
                set_vlan(port, out->vlan, links.vrf_of(link.index));
            else
                port.whole_port = links.vrf_of(link.index);
        });
    return map;
}

} // namespace fingerpost::router
