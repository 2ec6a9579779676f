// The text of a column for a matching route.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "cli/answers/answer_table.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli::enrich {

// A column of answers: its index in the IPv4 and in the IPv6 table, or past the last column if the table
// lacks it. Unset for the matched prefix.
using column_number = std::optional<std::array<std::size_t, 2>>;

template <class A>
using value_buffer = std::array<char, max_prefix_text<A>>;

// Returns a missing cell if the table has no value. `shown` holds the text if the table does not.
template <class A>
std::string_view route_value(const family_table<A>& table, const column_number& column, next_hop match,
                             value_buffer<A>& shown) {
    if (!column)
        return {shown.data(),
                static_cast<std::size_t>(format(table.prefix_of(match), shown.data()) - shown.data())};
    const std::size_t number = (*column)[A::bits == ipv4_address::bits ? 0 : 1];
    const answer_values& values = table.values();
    if (number >= values.columns())
        return missing_cell;
    const next_hop row = table.row_of(match);
    if (!values.is_number(number))
        return values.cell(row, number);
    char* const end = std::to_chars(shown.data(), shown.data() + shown.size(), row.id).ptr;
    return {shown.data(), static_cast<std::size_t>(end - shown.data())};
}

} // namespace fingerpost::cli::enrich
