// Combines the link states reported by drivers and by the kernel.
#include "router/ports/carriers.hpp"

#include <algorithm>

#include <rte_ethdev.h>

namespace fingerpost::router {
namespace {

// If a driver cannot report the state, the kernel decides.
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
    return std::ranges::any_of(ports_, [](const state& port) { return port.interface != 0; });
}

// A link that comes back, even if it was only lost between two messages, counts from the next poll() on, so
// that daemons see the loss.
void port_carriers::note(std::uint32_t interface, bool up, std::uint32_t losses) noexcept {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        state& port = ports_[i];
        if (port.interface != interface)
            continue;
        port.is_reported = true;
        port.is_back = up && port.of_kernel && (!*port.of_kernel || losses != port.losses);
        port.of_kernel = up && !port.is_back;
        port.losses = losses;
        look(i);
    }
}

void port_carriers::begin_refresh() noexcept {
    for (state& port : ports_)
        port.is_reported = false;
}

// Handles an interface that has disappeared. An interface that the kernel has never reported is in another
// network namespace; only its driver knows its state.
void port_carriers::sweep() noexcept {
    for (std::size_t i = 0; i < ports_.size(); ++i)
        if (!ports_[i].is_reported && ports_[i].of_kernel) {
            ports_[i].of_kernel = false;
            look(i);
        }
}

void port_carriers::poll() noexcept {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        if (std::exchange(ports_[i].is_back, false))
            ports_[i].of_kernel = true;
        look(i);
    }
}

void port_carriers::look(std::size_t port) noexcept {
    state& carrier = ports_[port];
    const bool up = carrier.of_kernel.value_or(true) && has_link(carrier.device);
    if (up == carrier.up)
        return;
    carrier.up = up;
    if (changed_)
        changed_(port, up);
}

} // namespace fingerpost::router
