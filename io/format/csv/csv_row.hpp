// Cuts rows of CSV into fields. Fields are quoted as in RFC 4180.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/values/column_type.hpp"

namespace fingerpost::io {

class csv_row {
  public:
    // The fields are valid as long as the row, and until the next call. False if there is text behind a
    // closing quote. A blank as the separator stands for any number of blanks and tabs.
    bool cut(std::string_view row, char separator);
    // Adds missing fields until there are so many.
    void widen(std::size_t count) {
        if (fields_.size() < count)
            fields_.resize(count);
    }
    // Whether a field may be in quotes. Then an empty one without quotes is missing (is_missing()), and one
    // in quotes an empty text; else all empty ones are missing, whatever is_missing() says.
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
