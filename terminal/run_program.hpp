// What main() of a program does around its work: arguments as words, and whatever happens as an exit code.
#pragma once

#include <span>
#include <string>

namespace fingerpost::cli {

// Closed descriptors 0 to 2 are opened first, and signals that end the program take its temporary files
// along. `run` is given the words behind the program's name. What it throws becomes a line on stderr and an
// exit code; a reader of stdout that goes away ends the program quietly.
int run_program(int argc, char** argv, int (*run)(std::span<const std::string> words));

} // namespace fingerpost::cli
