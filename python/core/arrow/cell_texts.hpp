// The cells of Arrow columns as texts, for tables that are created from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/columns/column_reader.hpp"
#include "fingerpost/values/column_type.hpp"
#include "python/core/arrow/abi.hpp"
#include "python/core/arrow/array_layout.hpp"

namespace fingerpost::python::arrow {

bool is_text(std::string_view format) noexcept;
bool is_integer(std::string_view format) noexcept;

// The type of the rows, which is the type of the entries if there is a dictionary.
inline const ArrowSchema& type_of_rows(const ArrowSchema& type) noexcept {
    return type.dictionary != nullptr ? *type.dictionary : type;
}
// The type of the cells of a column; nullopt if the column cannot be stored as cells. A column of nulls is
// one of texts.
std::optional<fingerpost::column_type> type_of_cells(const ArrowSchema& type) noexcept;

// `row N: `, for messages.
std::string in_row(std::size_t row);

// Calls put(row, value) for each number of a chunk that is not null.
template <class T, class Put>
void for_numbers(const ArrowArray& from, Put put) {
    const auto values = values_of<T>(from, 1);
    const columns::validity valid = validity_of(from);
    for (std::size_t row = 0; row < values.size(); ++row)
        if (has_value(valid, row))
            put(row, values[row]);
}

// `format` is that of an integer type.
template <class Put>
void for_integers(char format, const ArrowArray& from, Put put) {
    switch (format) {
    case 'c':
        return for_numbers<std::int8_t>(from, put);
    case 'C':
        return for_numbers<std::uint8_t>(from, put);
    case 's':
        return for_numbers<std::int16_t>(from, put);
    case 'S':
        return for_numbers<std::uint16_t>(from, put);
    case 'i':
        return for_numbers<std::int32_t>(from, put);
    case 'I':
        return for_numbers<std::uint32_t>(from, put);
    case 'l':
        return for_numbers<std::int64_t>(from, put);
    default:
        return for_numbers<std::uint64_t>(from, put);
    }
}

inline constexpr std::int64_t null_entry = -1;
// The dictionary index of each row of a chunk, or null_entry. Throws std::invalid_argument for an index
// outside the dictionary.
std::vector<std::int64_t> entries_of(const ArrowSchema& type, const ArrowArray& from);

// The rows of a chunk as texts. The type of its cells must be known. Numbers have their shortest decimal
// form, and those of floats have a point or an exponent, such as 47.0. NaN is null.
class cell_texts {
  public:
    // Throws std::invalid_argument for an invalid array, and for infinite floats.
    cell_texts(const ArrowSchema& type, const ArrowArray& from, layout_memory& memory);

    std::size_t size() const noexcept { return is_encoded_ ? entries_.size() : count_; }
    // Returns nullopt for a null row.
    std::optional<std::string_view> operator[](std::size_t row) const noexcept {
        if (!is_encoded_)
            return text(row);
        return entries_[row] == null_entry ? std::nullopt : text(static_cast<std::size_t>(entries_[row]));
    }
    // An empty text may have a null pointer, but is not a missing cell.
    std::string_view cell(std::size_t row) const noexcept {
        const auto text_of_row = (*this)[row];
        return !text_of_row ? missing_cell : text_of_row->empty() ? std::string_view("") : *text_of_row;
    }

  private:
    std::optional<std::string_view> text(std::size_t at) const noexcept {
        if (!values_)
            return columns::bytes_of(texts_, at);
        return (*values_)[at] ? std::optional<std::string_view>(*(*values_)[at]) : std::nullopt;
    }

    bool is_encoded_;
    std::size_t count_ = 0;
    std::vector<std::int64_t> entries_;
    columns::column texts_;
    std::optional<std::vector<std::optional<std::string>>> values_; // of numbers and booleans
};

} // namespace fingerpost::python::arrow
