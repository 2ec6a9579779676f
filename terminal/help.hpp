// Help texts of commands, laid out for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// Summary, usage, arguments, options, commands, additional text, examples; in lines of at most `width` bytes,
// as far as words permit.
std::string help_text(const command& one, std::size_t width);

// The words broken into lines of at most `width` bytes, as far as words permit; lines after the first one
// begin with `indent` blanks.
std::string wrapped(std::string_view words, std::size_t indent, std::size_t width);

// The width of the terminal on standard output, else the value of COLUMNS, else 80.
std::size_t help_width();
// The width of the terminal on standard output, else the value of COLUMNS; 0 without both: as wide as it
// gets.
std::size_t shown_width();

} // namespace fingerpost::cli
