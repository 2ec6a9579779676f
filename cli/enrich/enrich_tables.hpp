// The tables for looking up rows, loaded and named.
#pragma once

#include <memory>
#include <vector>

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/enrich_plan.hpp"
#include "terminal/table/named_tables.hpp"

namespace fingerpost::cli::enrich {

struct open_tables {
    std::vector<std::unique_ptr<answer_table>> owned;
    std::vector<named_table> named;
};

// Loads a table for each group of files. Throws usage_error if two files are standard input, and failure for
// a table that cannot be read.
open_tables load_tables(const enrich_options& options, const std::vector<file_group>& groups);

} // namespace fingerpost::cli::enrich
