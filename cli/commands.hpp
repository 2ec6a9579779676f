// The commands of `fingerpost`, one file each; main.cpp puts them together.
#pragma once

#include "cli/command_line.hpp"

namespace fingerpost::cli {

// What the program returns to the shell. A command throws `failure` or `usage_error` (failure.hpp) for 1 and
// 2, and returns the last two itself when it has gone on to the end all the same.
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int failed = 1;    // wrong data, or something the system refused
inline constexpr int usage = 2;     // the command line or the environment asks for what there is not
inline constexpr int bad_rows = 3;  // some rows were wrong, all others were answered
inline constexpr int different = 4; // what was compared differs, and the code was to tell
} // namespace exit_code

command aggregate_command();
command bench_command();
command check_command();
command convert_command();
command diff_command();
command enrich_command();
command explain_command();
command generate_command();
command image_command();
command info_command();
command lookup_command();
command replay_command();
command router_command();
command schemes_command();
command serve_command();
command strides_command();
// These two tell of the whole program, which must outlive them. Help completes the commands that there are
// when it is made.
command completion_command(const command& program);
command help_command(const command& program);

} // namespace fingerpost::cli
