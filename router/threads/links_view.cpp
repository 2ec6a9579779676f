// Builds the data threads' view of ports and interfaces.
#include "router/threads/links_view.hpp"

#include <algorithm>

namespace fingerpost::router {

namespace {

rte_ether_addr dpdk_mac(const mac_address& mac) {
    rte_ether_addr out;
    std::copy(mac.begin(), mac.end(), out.addr_bytes);
    return out;
}

// Adds the MAC addresses of a port's interfaces. VLAN devices usually have the TAP's address. An interface
// that is down, such as that of a standby virtual router, accepts no frames.
void add_mac(ingress& port, const link_state& one, const egress& out) {
    if (one.mac == mac_address{})
        return;
    if (one.parent == 0)
        port.mac = dpdk_mac(one.mac);
    else if (one.up)
        port.others.push_back({dpdk_mac(one.mac), out.vlan});
}

} // namespace

links_view view_of(const interfaces& links, std::span<const rte_ether_addr> macs, const flow_key& flows) {
    links_view made;
    for (const rte_ether_addr& mac : macs)
        made.ports.push_back({mac, {}, flows, {}});
    links.each_link([&](const link_state& one) {
        const auto out = links.find_egress(one.index);
        if (!out || out->port >= made.ports.size())
            return;
        add_mac(made.ports[out->port], one, *out);
        if (!one.macvlan) {
            if (out->vlan != 0)
                made.ports[out->port].vlans.set(out->vlan);
            made.by_port_and_vlan[{out->port, out->vlan}] = one.index;
        }
        links_view::sources& from = made.by_interface[one.index];
        if (const auto address = links.source_address(one.index, false))
            from.ipv4 = std::get<ipv4_address>(*address);
        if (const auto address = links.source_address(one.index, true))
            from.ipv6 = std::get<ipv6_address>(*address);
    });
    for (ingress& port : made.ports)
        std::erase_if(port.others, [&](const further_mac& one) {
            return rte_is_same_ether_addr(&one.mac, &port.mac) != 0;
        });
    return made;
}

} // namespace fingerpost::router
