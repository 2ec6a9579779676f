// The formats that `fingerpost convert` writes: a table with one function for each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/writers/table_writer.hpp"
#include "io/format/parts/table_data.hpp"
#include "io/source/file.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli {

struct conversion {
    std::string_view to;
    std::string_view words; // description in help
    // Writes the tables to `out`. Throws failure.
    void (*write)(io::both_tables& tables, const table_writing& how, output& out);
};

std::span<const conversion> conversions();

// Writes a row for each prefix in an MRT file. Returns the exit code; throws failure.
int mrt_to_csv(io::file_source& source, output& out);

} // namespace fingerpost::cli
