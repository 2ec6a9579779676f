// What the program returns to the shell.
#pragma once

namespace fingerpost::cli {

// A command throws `failure` or `usage_error` (terminal/failure.hpp) for 1 and 2. It returns the others
// itself, after it has finished its work.
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int failed = 1;   // wrong data, or the system refused something
inline constexpr int no_match = 1; // `lookup` and `grep`, as grep: nothing has a match
inline constexpr int usage = 2; // the command line or the environment asks for something that does not exist
inline constexpr int bad_rows = 3;  // some rows were wrong; all others were answered
inline constexpr int different = 4; // two tables differ, and the user asked for an exit code that tells
} // namespace exit_code

} // namespace fingerpost::cli
