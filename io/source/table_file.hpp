// One call from the name of a file to the table in it, whatever its format.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/table_data.hpp"
#include "io/format/table_format.hpp"
#include "io/source/file.hpp"

namespace fingerpost::io {

// A file that is open, and whose format is known; nothing of it has been read.
class table_input {
  public:
    // `path` as for file_source::open. The format is found by how the content begins unless it is given.
    static expected<table_input, input_error> open(const std::string& path, const table_options& options = {},
                                                   std::optional<table_format> format = {});
    // The same of a source that is open, and of which nothing has been read.
    static expected<table_input, input_error> open(file_source source, const table_options& options = {},
                                                   std::optional<table_format> format = {});

    table_format format() const noexcept { return format_; }
    file_source& source() noexcept { return source_; }

    // Of any format but MRT and images, which have readers of their own. Memory that runs out is an error
    // too, not an exception.
    expected<any_table, input_error> read(const table_options& options) &&;
    expected<both_tables, input_error> read_both(const table_options& options) &&;

  private:
    table_input(file_source source, table_format format) : source_(std::move(source)), format_(format) {}
    template <class Table, class Finish>
    expected<Table, input_error> read_by(const table_options& options, Finish finish);

    file_source source_;
    table_format format_;
};

// Opens and reads a table of one family; that a file has routes of both is an error, unless `only` chooses
// one. `path` as for file_source::open. Memory that runs out is an error too.
expected<any_table, input_error> load_table(const std::string& path, const table_options& options = {});

// The same of a file that may have routes of both families, each as a table of its own.
expected<both_tables, input_error> load_both(const std::string& path, const table_options& options = {});

} // namespace fingerpost::io
