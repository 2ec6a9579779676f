// Feeds a file to the table reader.
#include "io/source/table_file.hpp"

#include "io/source/feed.hpp"

namespace fingerpost::io {
namespace {

// A table reader that is asked for both families at the end.
class both_reader {
  public:
    both_reader(const std::string& name, const table_options& options) : reader_(name, options) {}
    bool feed(std::string_view chunk) { return reader_.feed(chunk); }
    expected<both_tables, input_error> finish() && { return std::move(reader_).finish_both(); }

  private:
    table_reader reader_;
};

} // namespace

expected<any_table, input_error> load_table(const std::string& path, const table_options& options) {
    return read_all(path, [&](const std::string& name) { return table_reader(name, options); });
}

expected<both_tables, input_error> load_both(const std::string& path, const table_options& options) {
    table_options all = options;
    all.both = true;
    return read_all(path, [&](const std::string& name) { return both_reader(name, all); });
}

} // namespace fingerpost::io
