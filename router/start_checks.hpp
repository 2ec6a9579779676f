// Checks what a configuration needs from the machine, as far as possible before anything is opened. Both
// `--check` and every start run these checks.
#pragma once

#include <string>

#include "router/config/config.hpp"

namespace fingerpost::router {

// Decides whether to use huge pages if the configuration sets "auto". Returns the decision for the log; empty
// if the configuration decides.
std::string choose_memory(config& settings);

// The configuration must not have errors. Resources that a running router holds already (TCP ports, TAPs,
// huge pages) are not reported, because `--check` is also used for a file that a running router will read
// next.
void check_machine(const config& settings, report& findings);
// The part of check_machine() for the source of routes.
void check_route_source(const config& settings, report& findings);

} // namespace fingerpost::router
