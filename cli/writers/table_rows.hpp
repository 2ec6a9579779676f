// Writes the routes of tables as text, CSV and NDJSON, for all commands. The readers of io/format detect the
// form and read back the same table. Anything that they could not read back is refused.
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
    text,  // `prefix value` lines, after a header if the column is not next_hop
    csv,   // a header, then all columns
    ndjson // one object per line; missing values are null
};

class table_rows {
  public:
    // For tables with the columns of `values`. `networks_only` leaves these out of CSV and NDJSON. Throws
    // failure, with a suggestion, for columns that the form cannot have.
    explicit table_rows(row_kind kind, const value_rows& values, bool networks_only = false);

    // Why a row of values cannot be written, as words that follow "the value "; empty if it can.
    std::string refusal(const value_rows& values, next_hop row) const;
    // Why this route cannot be written although its row can: readers compare a column such as masklen with
    // the prefix.
    std::string refusal(std::string_view where, const value_rows& values, next_hop row) const;
    bool has_lengths() const noexcept { return lengths_.length.has_value(); }

    // Appends the header, if the form has one.
    void begin(std::string& out) const { out += head_; }
    // Writes a route whose row refusal() accepts. The values must outlive this object.
    void add(std::string_view where, const value_rows& values, next_hop row, std::string& out);

  private:
    void put_values(const value_rows& values, next_hop row, std::string& out) const;
    std::string refusal(std::string_view cell) const;

    row_kind kind_;
    std::size_t columns_;         // number of value columns that are written
    io::network_columns lengths_; // the value columns, as if a prefix column came first
    std::string head_;
    std::string start_;             // beginning of each row
    std::vector<std::string> keys_; // for NDJSON: `,"name":`
    value_texts texts_;
};

} // namespace fingerpost::cli
