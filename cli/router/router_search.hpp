// Finds the telemetry socket of the router that runs on this machine.
#pragma once

#include <chrono>
#include <string>

#include "cli/router/router_socket.hpp"
#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// The choice of a router and the time limit for its answers: options of all router commands.
struct router_choice {
    std::string path; // empty: the only router that answers
    double seconds = 10;
};

void add_router_options(command& to, router_choice& choice);

// Adds `--vrf NAME`. Refuses names with commas or slashes, which could change the query. in_vrf() returns the
// suffix of a query for this VRF.
void add_vrf_option(command& to, std::string& vrf);
std::string in_vrf(const std::string& vrf);

// Throws failure if no router answers, and usage_error if several do and none is named.
router_socket open_router(const router_choice& choice);

} // namespace fingerpost::cli
