// Cuts rows of CSV into fields. Fields are quoted as in RFC 4180.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

class csv_row {
  public:
    // The fields are valid as long as the row, and until the next call. False if there is text behind a
    // closing quote.
    bool cut(std::string_view row, char separator);
    const std::vector<std::string_view>& fields() const noexcept { return fields_; }

  private:
    bool cut_plain(std::string_view row, char separator);
    bool cut_quoted(std::string_view row, char separator);
    std::string_view take_quoted(std::string_view& rest);

    std::vector<std::string_view> fields_;
    std::string unquoted_;
};

} // namespace fingerpost::io
