// The columns of CSV and TSV by their names and numbers, and the header with those that are added.
#pragma once

#include <span>
#include <string>

#include "cli/enrich/enrich_plan.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

// Finds the columns with addresses, by name or by number from 1. Throws usage_error for those that there are
// not.
void choose_columns(std::span<const std::string> fields, const row_beginning& first, scan_choice& scan);

// Appends the header with the names of the added columns before its line end. Renamings of the plan that meet
// none of these are for columns of the rows, by their numbers. Throws usage_error when a name comes twice.
void put_header(const std::string& header, const scan_choice& scan, const column_plan& plan,
                std::string& out);

// The same of a header in comments: in its line of names, and in that of Zeek's types. Blanks in the added
// names become underscores.
void put_comment_header(const comment_header& header, const column_plan& plan, std::string& out);

} // namespace fingerpost::cli::enrich
