// Builds the data threads' map of VRFs.
#include "router/forward/vrf_map.hpp"

namespace fingerpost::router {
namespace {

constexpr std::size_t vlan_count = 4096;

void set_vlan(vrf_map::port_vrfs& port, std::uint16_t vlan, vrf_number vrf) {
    if (port.by_vlan.empty() && port.all != vrf)
        port.by_vlan.assign(vlan_count, port.all);
    if (!port.by_vlan.empty())
        port.by_vlan[vlan] = vrf;
}

} // namespace

vrf_map vrf_map_of(const interfaces& links) {
    vrf_map made;
    made.ports.resize(links.port_count());
    if (links.vrfs().has_one())
        return made;
    for (std::size_t port = 0; port < made.ports.size(); ++port)
        made.ports[port].all = links.vrfs().of(static_cast<std::uint16_t>(port), 0);
    // Untagged packets first, because most ports belong to a single VRF.
    for (const bool tagged : {false, true})
        links.each_link([&](const link_state& one) {
            const auto out = links.find_egress(one.index);
            if (!out || one.macvlan || (out->vlan != 0) != tagged)
                return;
            vrf_map::port_vrfs& port = made.ports[out->port];
            if (tagged)
                set_vlan(port, out->vlan, links.vrf_of(one.index));
            else
                port.all = links.vrf_of(one.index);
        });
    return made;
}

} // namespace fingerpost::router
