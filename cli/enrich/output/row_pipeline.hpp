// Passes rows through the lookup to the output, in order, with several threads.
#pragma once

#include <cstdint>
#include <span>

#include "cli/enrich/enrich_options.hpp"
#include "cli/enrich/input/row_stream.hpp"
#include "cli/enrich/row_plan.hpp"

namespace fingerpost::cli::enrich {

struct rows_outcome {
    int code = 0;               // ok, or bad_rows if some rows were invalid
    std::uint64_t selected = 0; // rows that were written, or would have been
};

// Throws failure if the input ends early. With stops_at_first, stops at the first selected row; faults of
// later rows may have been reported by then.
//
// Ends the process, without waiting for the reading thread, in these cases: with ok if the reader of the
// output has closed the pipe, or at the first selected row with ends_at_first; with failed and a message if
// the output cannot be written or an invalid row ends the run.
rows_outcome write_rows(const enrich_options& options, row_stream& rows, const row_plan& plan,
                        std::span<const named_table> tables);

} // namespace fingerpost::cli::enrich
