// One interface to the readers of all text formats.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/table_format.hpp"

namespace fingerpost::io {

class any_reader {
  public:
    // `format` must be a text format. MRT files and images have their own readers.
    any_reader(table_format format, const std::string& file, const table_options& options)
        : reader_(entry_of(format).open(file, options)) {}

    // Returns false after the first error, which finish() returns; the rest need not be fed.
    bool feed(std::string_view chunk) { return reader_->feed(chunk); }
    expected<one_table, input_error> finish() && { return reader_->finish(); }
    expected<both_tables, input_error> finish_both() && { return reader_->finish_both(); }

  private:
    std::unique_ptr<format_reader> reader_;
};

} // namespace fingerpost::io
