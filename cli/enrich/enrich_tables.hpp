// The tables that rows are looked up in, opened and named.
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

// A table for each group of files. Throws usage_error when two files are the standard input, and failure for
// a table that cannot be read.
open_tables load_tables(const enrich_options& options, const std::vector<file_group>& groups);

} // namespace fingerpost::cli::enrich
