// Makes the data threads' view of ports and interfaces.
#include "router/threads/links_view.hpp"

namespace fingerpost::router {

links_view view_of(const interfaces& links, std::span<const rte_ether_addr> macs, const flow_key& flows) {
    links_view made;
    for (const rte_ether_addr& mac : macs)
        made.ports.push_back({mac, {}, flows});
    links.each_link([&](const link_state& one) {
        const auto out = links.find_egress(one.index);
        if (!out || out->port >= made.ports.size())
            return;
        if (out->vlan != 0)
            made.ports[out->port].vlans.set(out->vlan);
        made.by_port_and_vlan[{out->port, out->vlan}] = one.index;
        links_view::sources& from = made.by_interface[one.index];
        if (const auto address = links.source_address(one.index, false))
            from.ipv4 = std::get<ipv4_address>(*address);
        if (const auto address = links.source_address(one.index, true))
            from.ipv6 = std::get<ipv6_address>(*address);
    });
    return made;
}

} // namespace fingerpost::router
