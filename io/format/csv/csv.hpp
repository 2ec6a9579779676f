// Reads tables as CSV or TSV: one column of networks, or two columns with the ends of ranges. All other
// columns are values.
//
//     network,asn,name                        start_ip,end_ip,country
//     10.0.0.0/8,64500,"A, Inc."              10.0.0.0,10.0.255.255,CH
//
// Fields are quoted as in RFC 4180; quoted fields may contain line breaks. An empty field is a missing value;
// an empty field in quotes is an empty text. The separator is the most frequent of `,`, tab, `;` and `|` in
// the first row. Without a header, the columns are named column1, column2 and so on. Then the first column is
// the network, or the first two are the ends of a range if both are addresses or numbers. Lines that begin
// with `#` are comments before the header; after it, only if the network is the first column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/csv/csv_row.hpp"
#include "io/format/parts/line_reader.hpp"
#include "io/format/parts/route_taker.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {

// Returns whether the row is inside quotes at the end of this line; `open`: it is inside quotes at the start.
// A quote opens only at the start of a field, so `5" pipe` is an ordinary field.
bool ends_in_quotes(std::string_view line, char separator, bool open);

class csv_reader : private line_reader {
  public:
    // `only_tabs`: the separator is a tab, regardless of the first row.
    csv_reader(std::string file, table_options options, bool only_tabs = false);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_line(std::string_view line);
    bool take_single_line(std::string_view line);
    bool take_lines_apart(const char* reason, bool is_last_open);
    bool is_comment(std::string_view line) const noexcept {
        return line.starts_with('#') && (!has_columns_ || has_comments_ || network_.first == 0);
    }
    bool take_comment(std::string_view line);
    char choose_separator(std::string_view line) const;
    bool take_row(std::string_view row);
    bool refuse_row(std::string_view text, std::string reason) {
        return refuse_at(row_line_, text, std::move(reason));
    }
    bool take_first(std::string_view row);
    bool choose_columns(const network_columns& network);
    bool begin_rows(std::span<const std::string_view> fields);
    void report_columns();
    bool take_fields(std::string_view row);
    std::string length_reason(const std::string& reason) const;
    std::optional<input_error> complete();

    route_taker taker_;
    bool only_tabs_;
    std::optional<char> separator_;
    bool has_columns_ = false;
    bool has_rows_ = false;
    bool is_data_ = false;      // the table has no header
    bool has_comments_ = false; // the names are in a comment, and comments may be anywhere
    std::vector<std::string> names_;
    network_columns network_;
    value_columns selection_;
    csv_row row_;
    std::string joined_; // a network joined with the length next to it
    std::string open_;   // lines of a row whose quote is still open
    bool is_open_ = false;
    std::uint64_t row_line_ = 0; // line on which the current row begins
};

} // namespace fingerpost::io
