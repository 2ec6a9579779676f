// The routes of tables as text, CSV and NDJSON: the one writer of each. The readers of io/format read back
// what they write, found out by its content, as the same table; what they could not is refused beforehand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/value_texts.hpp"
#include "fingerpost/values/rows.hpp"

namespace fingerpost::cli {

enum class row_kind : std::uint8_t {
    text,  // `prefix value` lines; a header when the column is not next_hop
    csv,   // a header and all columns
    ndjson // an object a line; empty values are null
};

class table_rows {
  public:
    // Of tables with the columns of `values`. Throws failure for columns that this kind cannot have, with the
    // way out.
    table_rows(row_kind kind, const value_rows& values);

    // Why a row of values cannot be written, in words that go on behind "the value "; empty when it can.
    std::string refusal(const value_rows& values, next_hop row) const;

    // What stands in front of the first route.
    void begin(std::string& out) const { out += head_; }
    // A route with a row that is not refused. The values must outlive this.
    void add(std::string_view where, const value_rows& values, next_hop row, std::string& out);

  private:
    void put_values(const value_rows& values, next_hop row, std::string& out) const;
    std::string refusal(std::string_view cell) const;

    row_kind kind_;
    std::string head_;
    std::string start_;             // of every row
    std::vector<std::string> keys_; // of NDJSON: `,"name":`
    value_texts texts_;
};

} // namespace fingerpost::cli
