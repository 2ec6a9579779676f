// The pages of `fingerpost help` that are not about one command.
#pragma once

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

command tables_topic();  // the options that say where a table is, and how it is read
command formats_topic(); // the formats that are read, and those that are written

} // namespace fingerpost::cli
