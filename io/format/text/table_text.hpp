// Reads tables as text: one route per line, `prefix` or `prefix next_hop`.
//
//     prefix           next_hop              an optional header
//     10.0.0.0/8       192.0.2.1
//     10.0.0.0/8,peer-7                      comma, semicolon, | and tab are separators, too
//     "10.0.0.0/8";"peer seven"              quoted as in CSV
//     10.0.0.0 255.0.0.0 192.0.2.1           also 10.0.0.0/255.0.0.0, and the wildcard 0.255.255.255
//     10.0.0.0 /8 192.0.2.1
//     10.0.0.1-10.0.0.9                      a range, also with blanks around the dash
//     default          upstream
//
// A next hop is any word without blanks, commas and control characters: a number, an address, a name. After
// `;` and `|`, and in quotes, it may contain blanks. `#` at the start of a word and `;` at the start of a
// line begin comments. Empty lines and CRLF are allowed. Of lines with the same prefix, the last one is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/line_reader.hpp"
#include "io/format/parts/route_taker.hpp"
#include "io/format/parts/table_columns.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// Reads a table in chunks of any size. Only finish() returns routes, so incomplete tables cannot be used.
class table_reader : private line_reader {
  public:
    // `file`: the name of the input in errors.
    table_reader(std::string file, table_options options);

    // Returns false after the first error, which finish() returns; the rest need not be fed.
    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_line(std::string_view line);
    bool take_usual(std::string_view line);
    bool take_any(std::string_view line);
    std::optional<std::string_view> take_hop(std::string_view& rest, char separator, std::string& unescaped);
    bool take_fields(std::string_view line, std::string_view where, std::string_view hop);
    bool take_header(std::string_view line, std::string_view where, std::string_view hop);
    bool name_columns(std::string_view line, std::vector<std::string> names);
    bool take_route(std::string_view where, std::string_view hop);
    std::optional<input_error> complete();

    route_taker taker_;
    value_columns selection_;
    std::optional<length_rule> lengths_; // the header declares the second words to be lengths
    std::string joined_;                 // a prefix or range that is joined from several words
    bool has_header_ = false;
    bool is_named_ = false; // the columns have the names of the header
};

} // namespace fingerpost::io
