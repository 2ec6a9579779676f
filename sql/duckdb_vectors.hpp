// Reads addresses from DuckDB's vectors, and writes results to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/columns/column.hpp"
#include "sql/duckdb_api.hpp"

namespace fingerpost::sql {

inline std::string_view view_of(const duckdb_text& text) noexcept {
    if (text.size <= duckdb_text::longest_inline)
        return {text.rest, text.size};
    const char* at;
    std::memcpy(&at, text.rest + 4, sizeof at);
    return {at, text.size};
}

// A vector of arguments. DuckDB hands over flat vectors, also for constants.
struct argument_vector {
    argument_vector(duckdb_handle chunk, std::size_t column)
        : handle(api.data_chunk_get_vector(chunk, column)), data(api.vector_get_data(handle)),
          valid(api.vector_get_validity(handle)) {}

    bool is_null(std::size_t row) const noexcept {
        return valid != nullptr && (valid[row / 64] >> row % 64 & 1) == 0;
    }
    const duckdb_text& text(std::size_t row) const noexcept {
        return static_cast<const duckdb_text*>(data)[row];
    }
    // The first row after `first` with another text, or `end`.
    std::size_t end_of_run(std::size_t first, std::size_t end) const noexcept;

    duckdb_handle handle;
    void* data;
    const std::uint64_t* valid;
};

// A vector of addresses: VARCHAR, an ENUM, UINTEGER, BLOB, or a NULL without a type. Throws
// std::invalid_argument for other types.
class address_vector : public argument_vector {
  public:
    address_vector(duckdb_handle chunk, std::size_t column);
    duckdb_type type() const noexcept { return type_; }

  private:
    template <class Index>
    void read_enum(const logical_type& of, std::size_t rows);

    duckdb_type type_;
    // Texts of an ENUM.
    std::vector<duckdb_text> texts_;
    std::deque<std::string> entries_; // their addresses do not change
};

// Rows [first, first + count) of a vector of addresses as a column of the library.
class address_block {
  public:
    // The column is valid until the next call.
    columns::column read(const address_vector& from, std::size_t first, std::size_t count);

  private:
    columns::view_layout texts(const address_vector& from, std::size_t first, std::size_t count);

    std::vector<columns::view> views_;
    std::vector<char> long_texts_;
    std::span<const char> buffer_;
};

// A vector of results.
class result_vector {
  public:
    explicit result_vector(duckdb_handle of) : handle_(of), data_(api.vector_get_data(of)) {}

    template <class T>
    T* as() const noexcept {
        return static_cast<T*>(data_);
    }
    void set_null(std::size_t row) {
        if (valid_ == nullptr) {
            api.vector_ensure_validity_writable(handle_);
            valid_ = api.vector_get_validity(handle_);
        }
        valid_[row / 64] &= ~(std::uint64_t{1} << row % 64);
    }
    // `is_lasting`: the text stays where it is until the process ends, and is valid UTF-8.
    void set_text(std::size_t row, std::string_view text, bool is_lasting);
    // A cell as an integer or number. Throws std::overflow_error if it does not fit.
    template <class T>
    void set_number(std::size_t row, std::string_view cell);

  private:
    duckdb_handle handle_;
    void* data_;
    std::uint64_t* valid_ = nullptr;
};

} // namespace fingerpost::sql
