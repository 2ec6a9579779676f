// Runs the command line of the process.
#include "cli/program.hpp"

int main(int argc, char** argv) {
    return fingerpost::cli::run_command_line(argc, argv);
}
