// Which columns or members of the rows are addresses.
#pragma once

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

// Throws usage_error for columns that there are not, paths without a name, and a regular expression that is
// none.
scan_choice choose_scan(const enrich_options& options, const row_layout& layout, const row_beginning& first);

} // namespace fingerpost::cli::enrich
