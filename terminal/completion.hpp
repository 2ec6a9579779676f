// `completion`: writes a script that makes a shell complete commands, options and their values.
#pragma once

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// Both commands describe the whole program. It must outlive them; they include the commands that it has when
// they are called.
command completion_command(const command& program);
command help_command(const command& program);

} // namespace fingerpost::cli
