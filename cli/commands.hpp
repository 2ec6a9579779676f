// The sub-commands of `fingerpost`, one file each; main.cpp adds them all.
#pragma once

#include <CLI/App.hpp>

namespace fingerpost::cli {

// What the program returns to the shell. A command throws `failure` or `usage_error` (failure.hpp) for the
// middle two, and sets the last one itself when it has gone on to the end all the same.
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int failed = 1;   // wrong data, or something the system refused
inline constexpr int usage = 2;    // the command line or the environment asks for what there is not
inline constexpr int bad_rows = 3; // some rows were wrong, all others were answered
} // namespace exit_code

// Each adds its command to `app`, with a callback that does the work and writes `status` when that is not 0.
void add_bench(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);
void add_generate(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_lookup(CLI::App& app, int& status);
void add_schemes(CLI::App& app, int& status);

} // namespace fingerpost::cli
