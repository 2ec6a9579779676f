// Writes tables as MRT files.
#pragma once

#include "io/format/mrt/mrt_writer.hpp"
#include "io/format/parts/table_data.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli {

// Both families in one file. Of the columns `next_hop`, or else the first, is what BGP calls so; `origin_as`,
// where there is one, ends the AS path. Throws failure, before anything is written, for other columns, and
// with the first route that cannot be.
void table_to_mrt(const io::both_tables& tables, const io::mrt::writer_options& options, output& out);

} // namespace fingerpost::cli
