// The subcommands of `fingerpost lab bench`, one file each.
#pragma once

#include <string>

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

command bench_lookup_command();
command bench_update_command();

// The command line for results.
std::string own_command_line();

} // namespace fingerpost::cli
