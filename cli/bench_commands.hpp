// The commands below `fingerpost bench`, one file each.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace fingerpost::cli {

void add_bench_lookup(CLI::App& bench, int& status);
void add_bench_update(CLI::App& bench, int& status);

// As results state it.
std::string own_command_line();

} // namespace fingerpost::cli
