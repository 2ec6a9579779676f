// The numbers of a column by row. Reading them once takes less time than reading texts for each result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "python/core/query.hpp"

namespace fingerpost::python {

// Numbers of all rows, IPv4 rows first if the families have separate rows (query::first_index()). A missing
// cell is 0. Only the vector of the column's type is filled.
struct column_numbers {
    std::vector<std::int64_t> integers;
    std::vector<double> floats;
};

// Returns a number, or nothing for a text that is not one of type T. A missing cell is 0.
template <class T>
std::optional<T> number_of(std::string_view text) noexcept;

// Returns the numbers of a column of integers or floats; null if `results` more results do not justify
// reading all rows, or if a row has a number that does not fit. Call it after the lookup, with the GIL, which
// it releases while reading.
std::shared_ptr<const column_numbers> numbers_of(shared_table& of, const query& lookups, std::size_t column,
                                                 std::size_t results);

} // namespace fingerpost::python
