// The program as a function, for its main() and for the module of the Python package.
#pragma once

namespace fingerpost::cli {

// Runs the command line, without the name of the program in argv[0], and returns the exit code. Replaces the
// handlers of signals, because the process is about to end.
int run_command_line(int argc, char** argv);

} // namespace fingerpost::cli
