// Finds the address columns of CSV and TSV rows, and writes the header with the added columns.
#pragma once

#include <span>
#include <string>

#include "cli/enrich/enrich_plan.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

// Finds the address columns by name, or by number from 1. Throws usage_error for missing columns.
void choose_columns(std::span<const std::string> fields, const row_beginning& first, scan_choice& scan);

// Appends the header with the names of the added columns before its line end. Renamings that match no added
// column apply to columns of the rows, by number. Throws usage_error if a name occurs twice.
void put_header(const std::string& header, const scan_choice& scan, const column_plan& plan,
                std::string& out);

// Appends a header in comments with the added names, and Zeek's types for them. Blanks in added names become
// underscores.
void put_comment_header(const comment_header& header, const column_plan& plan, std::string& out);

} // namespace fingerpost::cli::enrich
