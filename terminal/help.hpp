// Writes help texts in the width of the terminal. Also has the commands `help` and `completion`; the latter
// writes a script with which a shell completes commands, options and values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/command_line.hpp"

namespace fingerpost::cli {

// Returns summary, usage, arguments, options, commands, additional text and examples, in lines of at most
// `width` bytes if words permit. Commands in groups are listed one per line.
std::string help_text(const command& target, std::size_t width);

// Breaks the text into lines of at most `width` bytes if words permit. Lines after the first one begin with
// `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

// Width of the terminal on standard output, or else the value of COLUMNS, or else 80.
std::size_t help_width();
// Width of the terminal on standard output, or else the value of COLUMNS, or else 0 for unlimited.
std::size_t shown_width();

// Both commands describe the whole program, with the commands that it has when they are called. The program
// must outlive them. `topics` are additional help pages, of which only texts, options and `rest.choices` are
// used. The choices are further words for which `help` prints the page.
command completion_command(const command& program);
command help_command(const command& program, std::vector<command> topics);

} // namespace fingerpost::cli
