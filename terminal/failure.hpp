// The two ways in which a command fails; main.cpp turns them into a line on stderr and an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace fingerpost::cli {

// Invalid data, or the system refused something: exit code 1.
struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An invalid command line or environment: exit code 2.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The reader of the output has closed it. This is not an error; the command ends with exit code 0.
struct closed_pipe {};

} // namespace fingerpost::cli
