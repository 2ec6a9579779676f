// Writes the routes of tables as text, CSV and NDJSON; all such output uses this writer. The readers of
// io/format recognise the form by its content and read back the same table; what they could not read back is
// refused before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/value_texts.hpp"
#include "fingerpost/values/rows.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::cli {

enum class row_kind : std::uint8_t {
    text,  // `prefix value` lines; a header if the column is not next_hop
    csv,   // a header and all columns
    ndjson // one object a line; missing values are null
};

class table_rows {
  public:
    // For tables with the columns of `values`. `networks_only` leaves these out of CSV and NDJSON. Throws
    // failure, with a way out, for columns that the form cannot have.
    explicit table_rows(row_kind kind, const value_rows& values, bool networks_only = false);

    // Why a row of values cannot be written, in words that follow "the value "; empty if it can.
    std::string refusal(const value_rows& values, next_hop row) const;
    // The same of a route whose values may be those of others: readers compare a column such as masklen with
    // the prefix.
    std::string refusal(std::string_view where, const value_rows& values, next_hop row) const;
    bool has_lengths() const noexcept { return lengths_.length.has_value(); }

    // Appends what precedes the first route.
    void begin(std::string& out) const { out += head_; }
    // Writes a route with a row that refusal() accepts. The values must outlive this object.
    void add(std::string_view where, const value_rows& values, next_hop row, std::string& out);

  private:
    void put_values(const value_rows& values, next_hop row, std::string& out) const;
    std::string refusal(std::string_view cell) const;

    row_kind kind_;
    std::size_t columns_;         // of values that are written
    io::network_columns lengths_; // of the columns of values, as if a column of prefixes stood in front
    std::string head_;
    std::string start_;             // of every row
    std::vector<std::string> keys_; // of NDJSON: `,"name":`
    value_texts texts_;
};

} // namespace fingerpost::cli
