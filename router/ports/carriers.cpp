// Combines what drivers and the kernel say about the links of ports.
#include "router/ports/carriers.hpp"

#include <algorithm>

#include <rte_ethdev.h>

namespace fingerpost::router {
namespace {

// A driver that cannot tell leaves it to the kernel.
bool has_link(std::uint16_t device) noexcept {
    rte_eth_link link{};
    return rte_eth_link_get_nowait(device, &link) != 0 || link.link_status == RTE_ETH_LINK_UP;
}

} // namespace

port_carriers::port_carriers(std::span<const std::uint16_t> devices) {
    for (const std::uint16_t device : devices) {
        rte_eth_dev_info info{};
        const bool known = rte_eth_dev_info_get(device, &info) == 0;
        ports_.push_back({.device = device, .interface = known ? info.if_index : 0});
    }
}

bool port_carriers::needs_kernel() const noexcept {
    return std::ranges::any_of(ports_, [](const state& one) { return one.interface != 0; });
}

void port_carriers::note(std::uint32_t interface, bool up) noexcept {
    for (state& one : ports_)
        if (one.interface == interface) {
            one.of_kernel = up;
            one.is_told = true;
        }
}

void port_carriers::begin_refresh() noexcept {
    for (state& one : ports_)
        one.is_told = false;
}

// For an interface that existed and is gone. An interface that the kernel has never reported is in another
// network namespace; only its driver knows.
void port_carriers::sweep() noexcept {
    for (state& one : ports_)
        if (!one.is_told && one.of_kernel)
            one.of_kernel = false;
}

void port_carriers::poll() noexcept {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        state& one = ports_[i];
        const bool up = one.of_kernel.value_or(true) && has_link(one.device);
        if (up == one.up)
            continue;
        one.up = up;
        if (changed_)
            changed_(i, up);
    }
}

} // namespace fingerpost::router
