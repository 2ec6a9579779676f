// Starts DPDK's environment (EAL) as configured: cores, memory and devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "router/config/config.hpp"
#include "router/config/placement.hpp"

namespace fingerpost::router {

// The arguments of rte_eal_init(), the program's name first. Thread i of the wiring (wiring.hpp) runs on
// lcore i + 1; lcore 0 is the control thread, which calls start_environment(). `packet_bytes` is the total
// size of all packet buffers. Without huge pages DPDK must know it at the start.
std::vector<std::string> environment_arguments(const config& settings, const placement& threads,
                                               std::size_t packet_bytes);

// Without huge pages: the minimum memory for DPDK, and the default.
constexpr std::size_t least_megabytes(std::size_t packet_bytes) noexcept {
    return 16 + (packet_bytes >> 20);
}
constexpr std::size_t usual_megabytes(std::size_t packet_bytes) noexcept {
    return 80 + least_megabytes(packet_bytes); // for device queues and later changes
}

// To be called once per process. Returns nothing on success, else the reason for the failure.
std::optional<std::string> start_environment(const config& settings, const placement& threads,
                                             std::size_t packet_bytes);

// DPDK's name for the device of a port: a PCI address, or a virtual device without its arguments.
std::string device_name(const port_config& port);

} // namespace fingerpost::router
