// DPDK's environment (EAL), started as the configuration says: cores, memory and devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "router/config/config.hpp"
#include "router/config/placement.hpp"

namespace fingerpost::router {

// Thread i of the wiring runs on lcore i + 1; lcore 0 is the control thread, which calls start_environment().
// `packet_bytes` is the size of all packet buffers: without huge pages DPDK must know it at the start.
std::vector<std::string> environment_arguments(const config& settings, const placement& threads,
                                               std::size_t packet_bytes);

// Once in each process. Nothing on success, else why it did not start.
std::optional<std::string> start_environment(const config& settings, const placement& threads,
                                             std::size_t packet_bytes);

// DPDK's name for the device of a port: a PCI address, or the part of a virtual device before its arguments.
std::string device_name(const port_config& port);

} // namespace fingerpost::router
