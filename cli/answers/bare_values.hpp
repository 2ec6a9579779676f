// Which columns of a table hold only numbers or only booleans, which JSON can write without quotes.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "cli/answers/answer_table.hpp"

namespace fingerpost::cli {

// Whether a JSON reader gets back exactly the number that the text means: a number as RFC 8259 writes it, so
// neither `007` nor `+1`; finite as a double, so not `1e400`; and from -2^53 to 2^53 if it is whole, as many
// programs read numbers as doubles.
bool is_json_number(std::string_view text);

// Whether all texts of a column that are not empty are such numbers, or all are `true` or `false`; false if
// all are empty. `column`: its number in the IPv4 and in the IPv6 table, past the last one where it is
// missing. Reads the whole column.
bool is_bare_column(const answer_table& table, const std::array<std::size_t, 2>& column);

} // namespace fingerpost::cli
