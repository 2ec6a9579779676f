// Finds the telemetry socket of the router that runs here.
#pragma once

#include <chrono>
#include <string>

#include "cli/router/router_socket.hpp"
#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// Which router, and how long its answers may take: what every command to a router takes.
struct router_choice {
    std::string path; // empty: the only one that answers
    double seconds = 10;
};

void add_router_options(command& to, router_choice& choice);

// Throws failure when no router answers, and usage_error when several do and none is named.
router_socket open_router(const router_choice& choice);

} // namespace fingerpost::cli
