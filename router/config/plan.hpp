// Everything that follows from a configuration file before a device is opened. Both `--check` and every start
// of the router begin with this step.
#pragma once

#include <optional>
#include <string>

#include "router/config/config.hpp"
#include "router/config/keys/report.hpp"
#include "router/config/placement.hpp"
#include "router/config/wiring.hpp"
#include "system/topology.hpp"

namespace fingerpost::router {

// `queues` and `threads` must not be used if the report has errors. The wiring is planned again once the
// devices have reported their number of transmit queues; threads keep their cores.
struct start_plan {
    config settings{};
    report findings;
    wiring queues{};
    placement threads{};
    // The machine that threads were placed on. The process is pinned later and then sees fewer cores.
    system::topology machine{};
    std::optional<unsigned> near{};
};

// `near` is the memory node of the ports, if known.
start_plan make_plan(parsed_config parsed, const system::topology& machine,
                     std::optional<unsigned> near = std::nullopt);

// The memory node of the ports, from the kernel's files below `root` (kernel_devices). Returns nothing if the
// ports are on different nodes, or if none is a PCI device.
std::optional<unsigned> node_of_ports(const config& settings, const std::string& root);

} // namespace fingerpost::router
