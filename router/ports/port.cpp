// Configures and starts devices.
#include "router/ports/port.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#include "router/config/text_checks.hpp"
#include "router/ports/environment.hpp"
#include "router/ports/long_frames.hpp"
#include "router/routes/kernel/link_facts.hpp"

namespace fingerpost::router {
namespace {

// DPDK's functions return a negative errno.
unexpected<std::string> failure(const port_config& port, const char* what, int code) {
    return {fmt::format("port '{}' ({}): {}: {}", port.name, port.device, what, std::strerror(-code))};
}

struct queue_plan {
    port_queues count{};
    unsigned descriptors = 0;
};

rte_eth_conf settings_of(const rte_eth_dev_info& info, unsigned receive_queues) {
    rte_eth_conf conf{};
    conf.rxmode.offloads = info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM;
    if (receive_queues > 1) {
        // Both addresses and the ports, as in the router's own flow hash.
        conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        conf.rx_adv_conf.rss_conf.rss_hf =
            (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP) & info.flow_type_rss_offloads;
        conf.rxmode.offloads |= info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_RSS_HASH;
    }
    return conf;
}

// A kernel interface may support longer packets than its driver reports. Only frames pass through the driver.
int set_mtu(std::uint16_t number, const rte_eth_dev_info& info, unsigned mtu) {
    const bool too_long = mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN > info.max_rx_pktlen;
    if (info.if_index != 0 && too_long)
        return -set_kernel_mtu(info.if_index, mtu);
    return rte_eth_dev_set_mtu(number, static_cast<std::uint16_t>(mtu));
}

// The af_xdp driver reports the same error for every cause.
std::string why_no_queue(const port_config& port) {
    std::string why = "a receive queue cannot be created";
    for (const port_config& device : devices_of(port)) {
        const std::string below = interface_below(device);
        const auto link = device.is_af_xdp() ? find_link(below) : std::nullopt;
        if (link && link->has_xdp)
            why += fmt::format(", because another program takes the packets of {} by XDP (`ip link show {}`)",
                               below, below);
    }
    return why;
}

expected<bool, std::string> start(const port_config& port, std::uint16_t number, const queue_plan& queues,
                                  rte_mempool& packets) {
    rte_eth_dev_info info{};
    if (const int code = rte_eth_dev_info_get(number, &info); code != 0)
        return failure(port, "its driver does not describe it", code);
    const auto receive = static_cast<std::uint16_t>(queues.count.receive);
    const auto transmit = static_cast<std::uint16_t>(queues.count.transmit);
    const rte_eth_conf conf = settings_of(info, receive);
    if (const int code = rte_eth_dev_configure(number, receive, transmit, &conf); code != 0)
        return failure(port, "its driver refuses this number of queues", code);
    auto receive_descriptors = static_cast<std::uint16_t>(queues.descriptors);
    auto transmit_descriptors = receive_descriptors;
    if (const int code =
            rte_eth_dev_adjust_nb_rx_tx_desc(number, &receive_descriptors, &transmit_descriptors);
        code != 0)
        return failure(port, "its driver refuses this number of descriptors", code);
    // Some virtual devices have a fixed MTU.
    const int mtu_code = set_mtu(number, info, port.mtu);
    if (mtu_code != 0 && mtu_code != -ENOTSUP)
        return failure(port, "its driver refuses the MTU", mtu_code);
    const int socket = rte_eth_dev_socket_id(number);
    const auto place = static_cast<unsigned>(std::max(socket, 0));
    for (std::uint16_t i = 0; i < receive; ++i)
        if (const int code = rte_eth_rx_queue_setup(number, i, receive_descriptors, place, nullptr, &packets);
            code != 0)
            return failure(port, why_no_queue(port).c_str(), code);
    for (std::uint16_t i = 0; i < transmit; ++i)
        if (const int code = rte_eth_tx_queue_setup(number, i, transmit_descriptors, place, nullptr);
            code != 0)
            return failure(port, "a transmit queue cannot be created", code);
    if (const int code = rte_eth_dev_start(number); code != 0)
        return failure(port, "it does not start", code);
    // The kernel's addresses are on the TAP, so multicast frames and those for neighbour discovery must be
    // received.
    int promiscuous =
        port.promiscuous ? rte_eth_promiscuous_enable(number) : rte_eth_allmulticast_enable(number);
    // Other drivers without a multicast filter pass all multicast frames, but the bonding driver drops them.
    if (promiscuous == -ENOTSUP && port.is_bond())
        promiscuous = rte_eth_promiscuous_enable(number);
    if (promiscuous != 0 && promiscuous != -ENOTSUP)
        return failure(port, "it does not accept multicast frames", promiscuous);
    return true;
}

// The number of queues comes from the driver.
expected<found_device, std::string> find_one(const port_config& port) {
    found_device device;
    if (const int code = rte_eth_dev_get_port_by_name(device_name(port).c_str(), &device.number); code != 0)
        return failure(port,
                       port.is_virtual() ? "DPDK has not created it; see its messages above"
                                         : "DPDK has no such device (is it bound to vfio-pci?)",
                       code);
    rte_eth_dev_info info{};
    if (const int code = rte_eth_dev_info_get(device.number, &info); code != 0)
        return failure(port, "its driver does not describe it", code);
    device.most = {info.max_rx_queues, info.max_tx_queues};
    return device;
}

} // namespace

expected<found_device, std::string> find_device(const port_config& port) {
    auto device = find_one(port);
    if (!device)
        return device;
    // A bonding device has no members yet. Later it has as many queues as its members have in common.
    if (port.is_bond())
        for (const port_config& member : devices_of(port)) {
            const auto member_device = find_one(member);
            if (!member_device)
                return member_device;
            device->most.receive = std::min(device->most.receive, member_device->most.receive);
            device->most.transmit = std::min(device->most.transmit, member_device->most.transmit);
        }
    if (device->most.receive < port.queues)
        return unexpected{
            fmt::format("port '{}' ({}): its driver has {} receive queues, but {} are configured", port.name,
                        port.device, device->most.receive, port.queues)};
    return device;
}

expected<open_device, std::string> open_port(const port_config& port, const found_device& device,
                                             port_queues used, rte_mempool& packets) {
    const auto started = start(port, device.number, {used, port.descriptors}, packets);
    if (!started)
        return unexpected{started.error()};
    return open_device(device.number, false);
}

std::optional<std::string> change_mtu(const port_config& port, const open_device& of, unsigned mtu) {
    rte_eth_dev_info info{};
    int code = rte_eth_dev_info_get(of.number(), &info);
    if (code == 0)
        code = set_mtu(of.number(), info, mtu);
    if (code != 0 && code != -ENOTSUP)
        return failure(port, "its driver refuses the MTU while it runs", code).error;
    return std::nullopt;
}

expected<open_device, std::string> open_tap(const port_config& port, const open_device& of,
                                            rte_mempool& packets) {
    if (const auto former = find_link(port.tap); former && former->files != 0)
        return unexpected{
            fmt::format("port '{}': another program uses its TAP '{}', for example a second router",
                        port.name, port.tap)};
    char mac[RTE_ETHER_ADDR_FMT_SIZE];
    const rte_ether_addr address = of.mac();
    rte_ether_format_addr(mac, sizeof mac, &address);
    const std::string name = "net_tap_" + port.name;
    const std::string arguments = fmt::format("iface={},mac={}", port.tap, mac);
    if (const int code = rte_eal_hotplug_add("vdev", name.c_str(), arguments.c_str()); code != 0)
        return failure(port, "its TAP cannot be created", code);
    std::uint16_t number = 0;
    if (const int code = rte_eth_dev_get_port_by_name(name.c_str(), &number); code != 0)
        return failure(port, "its TAP is not found", code);
    open_device tap(number, true);
    port_config as_tap = port;
    as_tap.promiscuous = false;
    if (const auto started = start(as_tap, number, {{1, 1}, tap_descriptors}, packets); !started)
        return unexpected{started.error()};
    return tap;
}

open_device::open_device(open_device&& other) noexcept
    : number_(other.number_), owns_(std::exchange(other.owns_, false)), unplug_(other.unplug_) {}

open_device::~open_device() {
    if (!owns_)
        return;
    rte_eth_dev_info info{};
    rte_device* const device = rte_eth_dev_info_get(number_, &info) == 0 ? info.device : nullptr;
    (void)rte_eth_dev_stop(number_);
    (void)rte_eth_dev_close(number_);
    if (unplug_ && device != nullptr)
        (void)rte_dev_remove(device);
}

rte_ether_addr open_device::mac() const {
    rte_ether_addr address{};
    (void)rte_eth_macaddr_get(number_, &address);
    return address;
}

std::uint32_t open_device::kernel_interface() const {
    rte_eth_dev_info info{};
    return rte_eth_dev_info_get(number_, &info) == 0 ? info.if_index : 0;
}

} // namespace fingerpost::router
