// Reads a table of any format from a file, by its name.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/table_data.hpp"
#include "io/format/table_format.hpp"
#include "io/source/file.hpp"

namespace fingerpost::io {

// An open file whose format is known; nothing of it has been read.
class table_input {
  public:
    // `path` as in file_source::open. The format is found from the first bytes, unless it is given.
    static expected<table_input, input_error> open(const std::string& path, const table_options& options = {},
                                                   std::optional<table_format> format = {});
    // The same for an open source of which nothing has been read.
    static expected<table_input, input_error> open(file_source source, const table_options& options = {},
                                                   std::optional<table_format> format = {});

    table_format format() const noexcept { return format_; }
    file_source& source() noexcept { return source_; }

    // For all formats except MRT and images, which have readers of their own. Running out of memory is an
    // error too, not an exception.
    expected<any_table, input_error> read(const table_options& options) &&;
    expected<both_tables, input_error> read_both(const table_options& options) &&;

  private:
    table_input(file_source source, table_format format) : source_(std::move(source)), format_(format) {}
    template <class Table, class Finish>
    expected<Table, input_error> read_by(const table_options& options, Finish finish);

    file_source source_;
    table_format format_;
};

// Opens and reads a table of one family. A file with routes of both families is an error, unless `only`
// chooses one. `path` as in file_source::open. Running out of memory is an error too.
expected<any_table, input_error> load_table(const std::string& path, const table_options& options = {});

// The same for a file that may have routes of both families; each family becomes a table of its own.
expected<both_tables, input_error> load_both(const std::string& path, const table_options& options = {});

} // namespace fingerpost::io
