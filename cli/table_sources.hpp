// Tables out of files that are no text: MRT files and saved images.
#pragma once

#include <string>

#include "io/format/table.hpp"
#include "io/source/table_file.hpp"

namespace fingerpost::cli {

// Throw failure with the words of the error.
io::both_tables read_mrt_table(io::table_input& input, const io::table_options& options);
// The routes of an image, with their next hops as numbers. `path`: of a file, as images are mapped.
io::both_tables read_image_table(const std::string& path, const io::table_options& options);

} // namespace fingerpost::cli
