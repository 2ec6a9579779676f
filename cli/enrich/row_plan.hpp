// What is read of each row, what is added to it, and how the output begins.
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
    std::string beginning; // of the output: a byte order mark and the header, where the rows had them
};

// Throws usage_error for columns that no table has, names that come twice, and renamings that meet nothing.
row_plan plan_rows(const enrich_options& options, scan_choice scan, const row_beginning& first,
                   std::span<const named_table> tables);

} // namespace fingerpost::cli::enrich
