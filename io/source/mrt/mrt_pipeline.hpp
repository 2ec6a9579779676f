// Reads an MRT file with several threads: one cuts it into batches of records, others decode these, and the
// calling thread gets the parts in order.
#pragma once

#include "io/source/file.hpp"
#include "io/source/mrt/mrt_file.hpp"

namespace fingerpost::io {

// Throws what any of the threads has thrown.
mrt_result read_mrt_in_threads(file_source& source, const mrt_options& options, unsigned threads);

} // namespace fingerpost::io
