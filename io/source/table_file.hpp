// One call from the name of a file to the table in it.
#pragma once

#include <string>

#include "fingerpost/base/expected.hpp"
#include "io/format/text.hpp"

namespace fingerpost::io {

// `path` as for file_source::open. Memory that runs out is an error too, not an exception.
expected<any_table, input_error> load_table(const std::string& path, const table_options& options = {});

// The same of a file that may have routes of both families.
expected<both_tables, input_error> load_both(const std::string& path, const table_options& options = {});

} // namespace fingerpost::io
