// The commands below `fingerpost lab bench`, one file each.
#pragma once

#include <string>

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

command bench_lookup_command();
command bench_update_command();

// In the form in which results state it.
std::string own_command_line();

} // namespace fingerpost::cli
