// What main() of a program does around its work: passes arguments as words, and turns every outcome into an
// exit code.
#pragma once

#include <span>
#include <string>

namespace fingerpost::cli {

// First opens descriptors 0 to 2 if they are closed, and lets signals that end the program remove its
// temporary files. `run` gets the words behind the program's name. An exception from it becomes a line on
// stderr and an exit code. If the reader of stdout goes away, the program ends quietly.
int run_program(int argc, char** argv, int (*run)(std::span<const std::string> words));

} // namespace fingerpost::cli
