// Finds the telemetry socket of the router that runs on this machine.
#pragma once

#include <chrono>
#include <string>

#include "cli/router/router_socket.hpp"
#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// Which router, and how long its answers may take: the options of all commands to a router.
struct router_choice {
    std::string path; // empty: the only one that answers
    double seconds = 10;
};

void add_router_options(command& to, router_choice& choice);

// `--vrf NAME`, and how a question of the socket names it: behind the other parameters, or not at all. Names
// with a comma or a slash are refused, as they could change the question.
void add_vrf_option(command& to, std::string& vrf);
std::string in_vrf(const std::string& vrf);

// Throws failure if no router answers, and usage_error if several do and none is named.
router_socket open_router(const router_choice& choice);

} // namespace fingerpost::cli
