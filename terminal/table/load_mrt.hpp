// Reads a table from an MRT file for a command, and reports on stderr what was skipped.
#pragma once

#include "io/source/mrt/mrt_table.hpp"

namespace fingerpost::cli {

struct mrt_table {
    io::both_tables tables;
    bool is_damaged = false; // some records were skipped as damaged
};

// Throws failure with the words of the error.
mrt_table load_mrt(io::file_source& source, const io::table_options& options, const io::mrt_choice& choice);

} // namespace fingerpost::cli
