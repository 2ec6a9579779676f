// Reads MaxMind DB files (version 2 of the format): a binary tree of networks, each with a record of nested
// values.
//
// Every field of the records is a column that is named by its path: {"country": {"iso_code": "CH"}} is the
// column country.iso_code. Array elements are numbered from 0: subdivisions.0.iso_code. A field that a record
// lacks is missing for its routes. A column has the type of its fields: text, integer (up to 64 bits), float
// or Boolean; bytes are texts in hexadecimal.
//
// An IPv6 tree has IPv4 networks below ::/96; they become IPv4 routes. ::/96 and other parts of the tree that
// point to these networks, such as 2002::/16, have no routes; they are in both_tables::aliases.
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/mmdb/memory_file.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// Keeps the file in memory until its end, where the metadata is. Without libmaxminddb every input is refused
// with an explanation.
class mmdb_reader {
  public:
    mmdb_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool fail(std::string_view text, std::string reason);
    // Adds all routes to the builder.
    std::optional<input_error> complete(table_builder& builder);

    fault_log faults_;
    table_options options_;
    memory_file bytes_;
};

} // namespace fingerpost::io
