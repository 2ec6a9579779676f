// Routing tables as text: one route a line, `prefix` or `prefix next_hop`.
//
// The two are separated by blanks, tabs or one comma. A next hop is any word without blanks, commas and
// control characters: a number, an address, a name. `#` at the start of a word begins a comment; empty lines
// and CRLF are fine. Of a prefix that comes twice the last one counts.
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/input_error.hpp"
#include "io/format/line_reader.hpp"
#include "io/format/table.hpp"

namespace fingerpost::io {

// Takes a table in chunks of any size. Nothing of it can be had before finish(), so there are no half tables.
class table_reader : private line_reader {
  public:
    // `file` is what errors call the input.
    table_reader(std::string file, table_options options);

    // False after the first error, which finish() will return; nothing more need be fed then.
    bool feed(std::string_view chunk);
    expected<any_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_line(std::string_view line);
    bool take_route(std::string_view where, std::string_view hop);
    template <class A>
    bool add(std::string_view where, std::string_view hop);

    table_builder made_;
};

} // namespace fingerpost::io
