// The tables that rows are looked up in, opened and named.
#pragma once

#include <memory>
#include <vector>

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/enrich_plan.hpp"

namespace fingerpost::cli::enrich {

struct open_tables {
    std::vector<std::unique_ptr<answer_table>> owned;
    std::vector<named_table> named;
};

// Throws usage_error for two tables of one name, and when two files are the standard input; failure for a
// table that cannot be read.
open_tables load_tables(const enrich_options& options);

} // namespace fingerpost::cli::enrich
