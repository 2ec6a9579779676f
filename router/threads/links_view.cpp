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
void add_mac(ingress& port, const link_state& link, const egress& out) {
    if (link.mac == mac_address{})
        return;
    if (link.parent == 0)
        port.mac = dpdk_mac(link.mac);
    else if (link.up)
        port.others.push_back({dpdk_mac(link.mac), out.vlan});
}

} // namespace

links_view view_of(const interfaces& links, std::span<const rte_ether_addr> macs, const flow_key& flows) {
    links_view view;
    for (const rte_ether_addr& mac : macs)
        view.ports.push_back({mac, {}, flows, {}});
    links.each_link([&](const link_state& link) {
        const auto out = links.find_egress(link.index);
        if (!out || out->port >= view.ports.size())
            return;
        add_mac(view.ports[out->port], link, *out);
        if (!link.macvlan) {
            if (out->vlan != 0)
                view.ports[out->port].vlans.set(out->vlan);
            view.by_port_and_vlan[{out->port, out->vlan}] = link.index;
        }
        links_view::sources& from = view.by_interface[link.index];
        if (const auto address = links.source_address(link.index, false))
            from.ipv4 = std::get<ipv4_address>(*address);
        if (const auto address = links.source_address(link.index, true))
            from.ipv6 = std::get<ipv6_address>(*address);
    });
    for (ingress& port : view.ports)
        std::erase_if(port.others, [&](const further_mac& other) {
            return rte_is_same_ether_addr(&other.mac, &port.mac) != 0;
        });
    return view;
}

} // namespace fingerpost::router
