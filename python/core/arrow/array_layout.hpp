// Converts Arrow columns to column layouts of the library, and tests which formats can hold addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/columns/column.hpp"
#include "python/core/arrow/abi.hpp"

namespace fingerpost::python::arrow {

// The accepted types of a column, for messages.
inline constexpr std::string_view accepted_formats =
    "utf8, large_utf8, utf8_view, binary, large_binary or binary_view (4 or 16 bytes per row), "
    "fixed_size_binary[4], fixed_size_binary[16], uint32, null, or a dictionary of one of these";

// Name of the type, such as "int64". The name of a struct includes its fields.
std::string describe_format(const ArrowSchema& type);

// Memory that columns refer to besides the arrays. It grows without moving its content.
struct layout_memory {
    std::deque<std::vector<std::span<const char>>> buffers;
    std::deque<std::vector<std::uint8_t>> bits;
    std::deque<std::vector<const void*>> pointers;
    std::deque<std::vector<std::uint32_t>> numbers;
};

// Whether the format can hold addresses. Does not examine a dictionary.
bool holds_addresses(const ArrowSchema& type) noexcept;

// The rows of an array with such a format. Throws std::invalid_argument if the array violates its format.
columns::column column_of(const ArrowSchema& type, const ArrowArray& from, layout_memory& memory);

// The validity bitmap of an array.
columns::validity validity_of(const ArrowArray& from) noexcept;
bool has_value(columns::validity valid, std::size_t row) noexcept;

// The values of a buffer, starting at the first row of the array. Throws like column_of().
template <class T>
std::span<const T> values_of(const ArrowArray& from, std::int64_t buffer, std::int64_t more = 0);

// The rows of an array of booleans; nullopt for nulls. Throws like column_of().
std::vector<std::optional<bool>> booleans_of(const ArrowArray& from);

// The type of a column, or of the only field of a struct. Null for a struct with several fields or none.
// Record batches and tables are structs.
struct single_column {
    const ArrowSchema* type = nullptr;
    bool in_struct = false;
};
single_column single_column_of(const ArrowSchema& type) noexcept;

// A view of one field of a struct array, with the rows of the struct, and null where the struct is null.
// `view` owns nothing.
void child_of(const ArrowArray& from, std::size_t child, ArrowArray& view, layout_memory& memory);

} // namespace fingerpost::python::arrow
