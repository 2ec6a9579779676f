// The subcommands of `fingerpost router`, one file each.
#pragma once

#include <cstdint>

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// `json` prints the router's answer, for programs.
enum class router_format : std::uint8_t { table, json };

void add_router_format(command& to, router_format& format);

command router_capture_command();
command router_lookup_command();
command router_reload_command();
command router_set_command();
command router_show_command();
command router_top_command();
command router_trace_command();

} // namespace fingerpost::cli
