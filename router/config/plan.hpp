// Everything that a configuration file decides before a device is opened, in one step: this is what `--check`
// does, and how every start begins.
#pragma once

#include <optional>
#include <string>

#include "router/config/config.hpp"
#include "router/config/keys/report.hpp"
#include "router/config/placement.hpp"
#include "router/config/wiring.hpp"
#include "system/topology.hpp"

namespace fingerpost::router {

// `queues` and `threads` must not be used if the report has errors. Once it is known how many transmit queues
// the devices offer, the wiring is made anew with that number; threads stay where they are.
struct start_plan {
    config settings{};
    report found;
    wiring queues{};
    placement threads{};
    // What threads were placed by; later the process is pinned, and sees fewer cores.
    system::topology machine{};
    std::optional<unsigned> near{};
};

// `near` is the memory node of the ports, where it is known.
start_plan make_plan(parsed_config parsed, const system::topology& machine,
                     std::optional<unsigned> near = std::nullopt);

// The memory node of the ports, from the kernel's files below `root` (kernel_devices); nothing if they are at
// different nodes, or if none is a PCI device.
std::optional<unsigned> node_of_ports(const config& settings, const std::string& root);

} // namespace fingerpost::router
