// Cuts CSV rows into fields, which are quoted as in RFC 4180.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/values/column_type.hpp"

namespace fingerpost::io {

class csv_row {
  public:
    // Cuts a row. The fields are valid as long as the row, and until the next call. Returns false if text
    // follows a closing quote. A blank as the separator means one or more blanks and tabs.
    bool cut(std::string_view row, char separator);
    // Adds missing fields up to this number of fields.
    void widen(std::size_t count) {
        if (fields_.size() < count)
            fields_.resize(count);
    }
    // Whether fields may be in quotes. If so, an empty field is missing (is_missing()) without quotes, and an
    // empty text in quotes. Otherwise all empty fields are missing, regardless of is_missing().
    bool has_quotes() const noexcept { return has_quotes_; }
    const std::vector<std::string_view>& fields() const noexcept { return fields_; }

  private:
    bool cut_plain(std::string_view row, char separator);
    bool cut_quoted(std::string_view row, char separator);
    bool cut_words(std::string_view row);
    std::string_view take_quoted(std::string_view& rest);

    std::vector<std::string_view> fields_;
    std::string unquoted_;
    bool has_quotes_ = false;
};

} // namespace fingerpost::io
