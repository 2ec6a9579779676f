// The answers of a lookup, in all output forms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/answer_values.hpp"
#include "cli/answers/value_texts.hpp"
#include "terminal/quoting.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli {

enum class row_format : std::uint8_t {
    text,
    csv,
    ndjson,
    json,  // one array of the objects of NDJSON
    lines, // on the socket of `serve`: prefix and values behind TABs, `-` if no route matches, `! error`
};

// `prefix` is empty if no route matches, also if the address is invalid; then `error` says why.
struct row {
    std::string_view address{}; // as it was given
    std::string_view prefix{};
    std::string_view error{};
    const answer_values* values = nullptr; // of the matching route's table
    next_hop number = next_hop::none;      // of the matching route's row in them
    std::string_view number_text{};        // of tables whose values are numbers

    // Missing also if no route matches.
    std::string_view value(std::size_t column) const noexcept {
        if (values == nullptr)
            return {};
        return values->is_number(column) ? number_text : values->cell(number, column);
    }
    void append_json(std::size_t column, std::string& out) const {
        append_json_cell(out, value(column), values == nullptr ? column_type::text : values->type(column));
    }
};

class row_writer {
  public:
    // `names` has the names of all value columns. CSV has a column for errors if there may be any.
    row_writer(row_format format, bool with_errors, answer_names names);

    // Keeps the texts of values that it has written, across calls; the tables of the values must outlive it.
    void keep_texts() noexcept { keeps_texts_ = true; }

    // Appends what precedes the first row: the header of CSV, the bracket of JSON.
    void begin(std::string& out) const;
    // Appends what follows the last row.
    void end(std::string& out) const;

    // Text begins with the names of the columns if the table has several of them. Text aligns the columns of
    // all rows given at once, and of later rows as long as they are not wider.
    void write(std::span<const row> rows, std::string& out);
    // How many rows with a match have been written.
    std::uint64_t matched() const noexcept { return matched_; }

  private:
    // One column of values explains itself.
    bool has_text_header() const noexcept { return columns_ > 1; }
    void write_text_header(std::string& out) const;
    void put_values(const row& r, std::string& out) const;
    // Like put_values(), but uses kept texts if there are any.
    void copy_values(const row& r, std::string& out);
    void put_object(const row& r, std::string& out);
    void write_ndjson(std::span<const row> rows, std::string& out);
    void write_json(std::span<const row> rows, std::string& out);
    void write_lines(std::span<const row> rows, std::string& out) const;
    void write_text(std::span<const row> rows, std::string& out);
    void write_csv(std::span<const row> rows, std::string& out);

    row_format format_;
    bool with_errors_;
    answer_names names_;
    std::size_t columns_; // of values
    // JSON's member names with the surrounding punctuation: `{"address":`, `,"prefix":`, `,"error":`, and one
    // for each column.
    std::string address_member_;
    std::string prefix_member_;
    std::string error_member_;
    std::vector<std::string> members_;
    std::string no_values_; // the result of put_values() for a row without a match
    bool keeps_texts_ = false;
    value_texts texts_;
    std::uint64_t matched_ = 0;
    bool is_first_ = true; // no row has been written
    std::size_t address_width_ = 0;
    std::size_t prefix_width_ = 1;          // at least a dash
    std::vector<std::size_t> value_widths_; // of all columns except the last
};

} // namespace fingerpost::cli
