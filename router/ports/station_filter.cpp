// Informs drivers of the MAC addresses of the router.
#include "router/ports/station_filter.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <rte_ethdev.h>

#include "system/log.hpp"

namespace fingerpost::router {
namespace {

bool has(const std::vector<rte_ether_addr>& some, const rte_ether_addr& address) {
    return std::ranges::any_of(
        some, [&](const rte_ether_addr& other) { return rte_is_same_ether_addr(&address, &other) != 0; });
}

} // namespace

station_filter::station_filter(std::span<const std::uint16_t> devices, std::span<const rte_ether_addr> macs) {
    for (std::size_t i = 0; i < devices.size() && i < macs.size(); ++i)
        ports_.push_back({.device = devices[i], .main = macs[i]});
}

void station_filter::follow(std::size_t port, const rte_ether_addr& main,
                            const std::vector<rte_ether_addr>& others) {
    state& of = ports_[port];
    if (rte_is_same_ether_addr(&of.main, &main) == 0) {
        of.main = main;
        rte_ether_addr copy = main;
        of.refuses_main = rte_eth_dev_default_mac_addr_set(of.device, &copy) != 0;
    }
    set_others(of, others);
    take_all_if_needed(of);
}

void station_filter::set_others(state& of, const std::vector<rte_ether_addr>& addresses) {
    for (rte_ether_addr& address : of.others)
        if (!has(addresses, address) && !has(of.refused, address))
            (void)rte_eth_dev_mac_addr_remove(of.device, &address);
    std::erase_if(of.refused, [&](const rte_ether_addr& address) { return !has(addresses, address); });
    for (rte_ether_addr address : addresses)
        if (!has(of.others, address) && rte_eth_dev_mac_addr_add(of.device, &address, 0) != 0)
            of.refused.push_back(address);
    of.others = addresses;
}

void station_filter::take_all_if_needed(state& of) {
    const bool needed = of.refuses_main || !of.refused.empty();
    if (needed == of.takes_all)
        return;
    if (needed && rte_eth_promiscuous_get(of.device) == 1)
        return; // the configuration has decided this permanently
    const int code = needed ? rte_eth_promiscuous_enable(of.device) : rte_eth_promiscuous_disable(of.device);
    of.takes_all = needed && code == 0;
    if (code != 0 && code != -ENOTSUP)
        system::log(system::log_level::warning,
                    "DPDK's device {} may not accept frames to a new MAC address: {}", of.device,
                    std::strerror(-code));
}

} // namespace fingerpost::router
