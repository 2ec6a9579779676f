// Feeds a file to the table reader.
#include "io/source/table_file.hpp"

#include "io/source/feed.hpp"

namespace fingerpost::io {

expected<any_table, input_error> load_table(const std::string& path, const table_options& options) {
    return read_all(path, [&](const std::string& name) { return table_reader(name, options); });
}

} // namespace fingerpost::io
