// Reads text databases of pyasn: comment lines, then a prefix and its origin AS on each line.
//
//     ; IP-ASN32-DAT file
//     1.0.0.0/24	13335
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/line_reader.hpp"
#include "io/format/parts/route_taker.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {

// The only column is asn.
class pyasn_reader : private line_reader {
  public:
    pyasn_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_line(std::string_view line);
    std::optional<input_error> complete();

    route_taker taker_;
    value_columns selection_;
};

} // namespace fingerpost::io
