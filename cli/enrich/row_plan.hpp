// Plans what is read from each row, what is added to it, and how the output begins.
#pragma once

#include <span>
#include <string>

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/enrich_plan.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

struct row_plan {
    scan_choice scan;
    column_plan columns;
    std::string beginning; // byte order mark and header, if the rows had them
};

// Throws usage_error for columns that no table has, repeated names, and renamings without effect.
row_plan plan_rows(const enrich_options& options, scan_choice scan, const row_beginning& first,
                   std::span<const named_table> tables);

} // namespace fingerpost::cli::enrich
