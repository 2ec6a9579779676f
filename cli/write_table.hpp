// Writes the tables of a replay as they are.
#pragma once

#include <string>

#include "cli/replayer.hpp"

namespace fingerpost::cli {

// As convert writes tables (table_writer.hpp): lines of `prefix next_hop`, or CSV of several columns. Throws
// failure when the file cannot be written.
void write_table(const replayer& of, const std::string& path);

} // namespace fingerpost::cli
