// The commands of `fingerpost image`, one file each.
#pragma once

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

command image_save_command();
command image_show_command();
command image_verify_command();

} // namespace fingerpost::cli
