// Writes the current tables of a replay.
#pragma once

#include <string>

#include "cli/replay/replayer.hpp"
#include "cli/writers/table_writer.hpp"

namespace fingerpost::cli {

// Writes like `convert`. Throws failure if the file cannot be written, or if the table does not fit this
// form.
void write_table(const replayer& of, const std::string& path, table_form form);

} // namespace fingerpost::cli
