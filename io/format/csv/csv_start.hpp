// Recognises the start of a table with columns: its separator, and its network columns if there is no header.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/cxx20.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {

// Returns the most frequent separator of a row outside quotes; a comma if there is none.
char csv_separator(std::string_view row) noexcept;
// Like csv_separator(), but returns a blank if only blanks separate the columns.
char table_separator(std::string_view row);

// Returns the column names in a comment: `#fields<tab>a<tab>b` of Zeek, `#Fields: a b` of CloudFront and
// other W3C logs. Returns nothing for other comments.
std::optional<std::vector<std::string>> names_in_comment(std::string_view line);

// Returns the network columns of a first row without a header; nothing if it is a header. `user_names`: the
// columns that the user named; `column2` is one of a table without a header.
std::optional<network_columns> unnamed_network(std::span<const std::string_view> row,
                                               std::span<const std::string> user_names);

} // namespace fingerpost::io
