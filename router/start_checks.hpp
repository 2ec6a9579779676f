// What a configuration needs from the machine, as far as it can be known before anything is opened. `--check`
// and every start make these checks, and nothing else does.
#pragma once

#include <string>

#include "router/config/config.hpp"

namespace fingerpost::router {

// Decides about huge pages where the configuration leaves it to the machine. Returns what it decided, for the
// log; empty if there was nothing to decide.
std::string choose_memory(config& settings);

// For a configuration without errors of its own. What a running router has taken already (TCP ports, TAPs,
// huge pages) is no fault: `--check` is for files that a running router will read next.
void check_machine(const config& settings, report& found);
// The part of it that is about the source of routes.
void check_route_source(const config& settings, report& found);

} // namespace fingerpost::router
