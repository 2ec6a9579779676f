// Help texts of commands, laid out for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// Summary, usage, arguments, options, commands, what there is besides, examples; lines of at most `width`
// bytes where words allow it.
std::string help_text(const command& one, std::size_t width);

// The columns of the terminal on standard output, else what COLUMNS says, else 80.
std::size_t help_width();

} // namespace fingerpost::cli
