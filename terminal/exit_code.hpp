// Exit codes of the program.
#pragma once

namespace fingerpost::cli {

// A command throws `failure` or `usage_error` (terminal/failure.hpp) for 1 and 2. It returns the others
// itself, after it has finished its work.
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int failed = 1;    // invalid data, or the system refused something
inline constexpr int no_match = 1;  // `lookup` and `grep`: there are no matches, as in grep
inline constexpr int usage = 2;     // the command line or the environment is invalid
inline constexpr int bad_rows = 3;  // some rows were invalid; all others were answered
inline constexpr int different = 4; // two tables differ, and the user requested this exit code
} // namespace exit_code

} // namespace fingerpost::cli
