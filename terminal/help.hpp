// How a program explains itself: help texts laid out for the terminal, and the commands `help` and
// `completion`, of which the latter writes a script that makes a shell complete commands, options and values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// Summary, usage, arguments, options, commands, additional text, examples; in lines of at most `width` bytes,
// as far as words permit. Commands in groups stand alone, each on a line.
std::string help_text(const command& one, std::size_t width);

// The words broken into lines of at most `width` bytes, as far as words permit; lines after the first one
// begin with `indent` blanks.
std::string wrapped(std::string_view words, std::size_t indent, std::size_t width);

// The width of the terminal on standard output, else the value of COLUMNS, else 80.
std::size_t help_width();
// The width of the terminal on standard output, else the value of COLUMNS; 0 without both: as wide as it
// gets.
std::size_t shown_width();

// Both commands describe the whole program, which must outlive them: the commands that it has when they are
// called. `topics` are pages of help beside those of commands. Only their texts and options are used, and
// `rest.choices`: further words for which `help` prints the page.
command completion_command(const command& program);
command help_command(const command& program, std::vector<command> topics);

} // namespace fingerpost::cli
