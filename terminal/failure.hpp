// The two ways in which a command gives up; main.cpp turns them into a line on stderr and an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace fingerpost::cli {

// Wrong data or a refusal of the system: exit code 1.
struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A command line or an environment that asks for what there is not: exit code 2.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Whoever read our output has gone away: no failure, the command just ends, with exit code 0.
struct closed_pipe {};

} // namespace fingerpost::cli
