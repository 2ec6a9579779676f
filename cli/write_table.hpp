// Writes the tables of a replay as they are.
#pragma once

#include <string>

#include "cli/replayer.hpp"

namespace fingerpost::cli {

// IPv4 first: lines of `prefix next_hop`, or, of a table with several columns, CSV with a head that begins
// with `network`. Throws failure when the file cannot be written.
void write_table(const replayer& of, const std::string& path);

} // namespace fingerpost::cli
