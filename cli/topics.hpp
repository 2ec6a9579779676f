// Help pages that do not describe a single command.
#pragma once

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

command tables_topic();  // the options that name a table and control how it is read
command formats_topic(); // the formats that can be read or written

} // namespace fingerpost::cli
