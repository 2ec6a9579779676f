// The two ways in which a command gives up; main.cpp turns them into a line on stderr and an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace fingerpost::cli {

// Wrong data, or the system refused something: exit code 1.
struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The command line or the environment asks for something that does not exist: exit code 2.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The reader of the output has closed it. This is no failure: the command ends with exit code 0.
struct closed_pipe {};

} // namespace fingerpost::cli
