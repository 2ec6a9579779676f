// Chooses the columns or members of rows that hold addresses.
#pragma once

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

// Throws usage_error for missing columns, paths without a name, and invalid regular expressions.
scan_choice choose_scan(const enrich_options& options, const row_layout& layout, const row_beginning& first);

} // namespace fingerpost::cli::enrich
