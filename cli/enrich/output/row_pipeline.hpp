// Rows through the lookup into the output, on all threads.
#pragma once

#include <span>

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/row_plan.hpp"

namespace fingerpost::cli::enrich {

// Returns the exit code. Throws failure when the input ends early; ends the process when the output does.
int write_rows(const enrich_options& options, row_stream& rows, const row_plan& plan,
               std::span<const named_table> tables);

} // namespace fingerpost::cli::enrich
