// Selects the routes of a table that meet the conditions of --where.
#pragma once

#include <span>

#include "cli/answers/condition_text.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

// Removes the routes that do not meet all conditions. Throws usage_error if a condition names a column that
// neither table has.
void keep_routes(io::both_tables& tables, std::span<const condition_text> where);

} // namespace fingerpost::cli
