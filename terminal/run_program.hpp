// The common part of main(): passes arguments as words, and maps every outcome to an exit code.
#pragma once

#include <span>
#include <string>

#include "terminal/options.hpp"

namespace fingerpost::cli {

// Opens descriptors 0 to 2 if they are closed, and makes signals that end the program remove its temporary
// files. `run` gets the words after the program's name. An exception of `run` becomes a line on stderr and an
// exit code. If the reader of stdout goes away, the program ends silently.
int run_program(int argc, char** argv, int (*run)(std::span<const std::string> words));

// Runs a program that is a single command, or prints its help. Returns the exit code.
int run_command(const command& program, std::span<const std::string> words);

} // namespace fingerpost::cli
