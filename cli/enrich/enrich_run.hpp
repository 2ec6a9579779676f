// Runs `fingerpost enrich`.
#pragma once

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/enrich_tables.hpp"
#include "cli/enrich/output/row_pipeline.hpp"

namespace fingerpost::cli::enrich {

// Returns the exit code. Throws usage_error and failure.
int run(const enrich_options& options);
// Runs with tables that are already loaded.
rows_outcome run(const enrich_options& options, const open_tables& tables);

} // namespace fingerpost::cli::enrich
