// Everything that a configuration file decides before a device is opened, in one step: what `--check` does,
// and the beginning of every start.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "router/config/config.hpp"
#include "router/config/placement.hpp"
#include "router/config/report.hpp"
#include "router/config/wiring.hpp"
#include "router/system/topology.hpp"

namespace fingerpost::router {

// `queues` and `threads` are worth nothing when the report has errors. Whoever knows how many transmit queues
// the devices offer makes the wiring anew with that; threads stay where they are.
struct start_plan {
    config settings{};
    report found;
    wiring queues{};
    placement threads{};
};

start_plan make_plan(parsed_config parsed, const topology& machine);

} // namespace fingerpost::router
