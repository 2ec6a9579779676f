// Everything that a configuration file decides before a device is opened, in one step: what `--check` does,
// and the beginning of every start.
#pragma once

#include <optional>
#include <string>

#include "router/config/config.hpp"
#include "router/config/keys/report.hpp"
#include "router/config/placement.hpp"
#include "router/config/wiring.hpp"
#include "system/topology.hpp"

namespace fingerpost::router {

// `queues` and `threads` are worth nothing when the report has errors. Whoever knows how many transmit queues
// the devices offer makes the wiring anew with that; threads stay where they are.
struct start_plan {
    config settings{};
    report found;
    wiring queues{};
    placement threads{};
};

// `near` is the memory node of the ports, where it is known.
start_plan make_plan(parsed_config parsed, const system::topology& machine,
                     std::optional<unsigned> near = std::nullopt);

// The memory node of the ports, from the kernel's files below `root` (kernel_devices); nothing when they are
// at different ones, or none is a PCI device.
std::optional<unsigned> node_of_ports(const config& settings, const std::string& root);

} // namespace fingerpost::router
