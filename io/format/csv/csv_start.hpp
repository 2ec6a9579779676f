// How a table of columns begins: what separates its columns, and where its networks are without a header.
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

// The separator that is most frequent in a row outside of quotes; a comma if there is none.
char csv_separator(std::string_view row) noexcept;
// The same; a blank if only blanks separate.
char table_separator(std::string_view row);

// The names of the columns that a comment gives them: `#fields<tab>a<tab>b` of Zeek, `#Fields: a b` of W3C's
// logs and CloudFront. Nothing for other comments.
std::optional<std::vector<std::string>> names_in_comment(std::string_view line);

// The columns of networks of a first row without a header; nothing if it is a header. `wanted`: the columns
// that the user named, by which `column2` means one of a table without a header.
std::optional<network_columns> unnamed_network(std::span<const std::string_view> row,
                                               std::span<const std::string> wanted);

} // namespace fingerpost::io
