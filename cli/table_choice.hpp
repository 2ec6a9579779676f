// The options that name a table, the same for every command that reads one.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "fingerpost/rib/routes.hpp"
#include "io/format/text.hpp"

namespace fingerpost::cli {

struct table_choice {
    std::string path;
    unsigned family = 0; // 4, 6, or 0 to take that of the table
    bool strict = false;
};

// --table, --family and --strict; `choice` must outlive the app's parsing.
void add_table_options(CLI::App& command, table_choice& choice);

// Reads the table; throws failure with the words of the error. Routes that were skipped, replaced or masked
// are counted on stderr.
io::any_table load(const table_choice& choice);

} // namespace fingerpost::cli
