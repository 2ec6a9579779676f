// Writes tables as MRT files.
#pragma once

#include "io/format/mrt/mrt_writer.hpp"
#include "io/format/parts/table_data.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli {

// Writes both families to one file. The column `next_hop`, or else the first column, is the BGP next hop. The
// column `origin_as`, if present, is the last AS of the path. Throws failure for other columns before writing
// anything, and at the first route that cannot be written.
void table_to_mrt(const io::both_tables& tables, const io::mrt::writer_options& options, output& out);

} // namespace fingerpost::cli
