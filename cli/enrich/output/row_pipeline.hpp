// Sends rows through the lookup to the output, in their order, on several threads.
#pragma once

#include <cstdint>
#include <span>

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/row_plan.hpp"

namespace fingerpost::cli::enrich {

struct rows_outcome {
    int code = 0;               // ok, or bad_rows if some rows were wrong
    std::uint64_t selected = 0; // rows that were written, or would have been
};

// Throws failure if the input breaks off. Stops at the first selected row if that is asked for; then rows may
// have been reported that come after it.
// Ends the process, without waiting for the thread that reads: with ok if the reader of the output has closed
// the pipe, or at the first selected row if that is asked for, with failed and a message if the output cannot
// be written or a wrong row ends the run.
rows_outcome write_rows(const enrich_options& options, row_stream& rows, const row_plan& plan,
                        std::span<const named_table> tables);

} // namespace fingerpost::cli::enrich
