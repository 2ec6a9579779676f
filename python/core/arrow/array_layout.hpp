// Arrow columns as the library reads them: which formats can hold addresses, and where their rows are.
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
    "utf8, large_utf8, utf8_view, binary, large_binary or binary_view (4 or 16 bytes a row), "
    "fixed_size_binary[4], "
    "fixed_size_binary[16], uint32, null, or a dictionary of one of these";

// The type in words: "int64", "list (+l)"; a struct names its fields.
std::string describe_format(const ArrowSchema& type);

// Memory that columns point to besides the arrays themselves. It grows without moving its content.
struct layout_memory {
    std::deque<std::vector<std::span<const char>>> buffers;
    std::deque<std::vector<std::uint8_t>> bits;
    std::deque<std::vector<const void*>> pointers;
    std::deque<std::vector<std::uint32_t>> numbers;
};

// False for formats that cannot hold addresses; a dictionary is not examined.
bool holds_addresses(const ArrowSchema& type) noexcept;

// The rows of an array with such a format. Throws std::invalid_argument for an array that its format does not
// allow.
columns::column column_of(const ArrowSchema& type, const ArrowArray& from, layout_memory& memory);

// The validity of an array's own rows.
columns::validity validity_of(const ArrowArray& from) noexcept;
bool has_value(columns::validity valid, std::size_t row) noexcept;

// The values of a buffer from the array's first row on; empty without rows. Throws like column_of().
template <class T>
std::span<const T> values_of(const ArrowArray& from, std::int64_t buffer, std::int64_t more = 0);

// The rows of an array of booleans, without a value for a null. Throws like column_of().
std::vector<std::optional<bool>> booleans_of(const ArrowArray& from);

// The type of a column, or of the only field of a struct, which record batches and tables are; null for a
// struct with several fields or none.
struct single_column {
    const ArrowSchema* type = nullptr;
    bool in_struct = false;
};
single_column single_column_of(const ArrowSchema& type) noexcept;

// A field of a struct's array, with the rows of the struct, null where the struct is null. `view` owns
// nothing.
void child_of(const ArrowArray& from, std::size_t child, ArrowArray& view, layout_memory& memory);

} // namespace fingerpost::python::arrow
