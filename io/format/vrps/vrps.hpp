// Reads validated ROA payloads of RPKI validators as JSON or CSV. They list which AS may announce a prefix,
// and how much longer its announcements may be.
//
//     {"roas": [ {"asn": "AS13335", "prefix": "1.1.1.0/24", "maxLength": 24, "ta": "apnic"} ]}
//
//     ASN,IP Prefix,Max Length,Trust Anchor
//     AS13335,1.1.1.0/24,24,apnic
//
// The columns are asn (a number), max_length and ta. A prefix with several payloads has lists, in the order
// of AS and maximum length. The n-th elements of all lists belong together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/joined_routes.hpp"
#include "io/format/parts/json/document_reader.hpp"
#include "io/format/parts/line_reader.hpp"

namespace fingerpost::io {

class vrps_json_reader : private document_reader {
  public:
    vrps_json_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take(const json_tree& roa);

    std::optional<joined_table> table_;
};

class vrps_csv_reader : private line_reader {
  public:
    vrps_csv_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_line(std::string_view line);
    bool take_header();
    bool take_row(std::string_view line);
    std::optional<input_error> complete();

    struct columns {
        std::size_t asn;
        std::size_t prefix;
        std::size_t max_length;
        std::optional<std::size_t> ta;
    };

    std::optional<joined_table> table_;
    std::vector<std::string_view> fields_; // of the current line
    std::optional<columns> columns_;       // from the header
};

} // namespace fingerpost::io
