// Sends rows through the lookup to the output, in their order, on several threads.
#pragma once

#include <span>

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/row_plan.hpp"

namespace fingerpost::cli::enrich {

// Returns the exit code: ok, or bad_rows if some rows were wrong. Throws failure if the input breaks off.
// Ends the process, without waiting for the thread that reads: with ok if the reader of the output has closed
// the pipe, with failed and a message if the output cannot be written or a wrong row ends the run.
int write_rows(const enrich_options& options, row_stream& rows, const row_plan& plan,
               std::span<const named_table> tables);

} // namespace fingerpost::cli::enrich
