// The answers of a lookup in all output forms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
    json,  // one array of the objects that NDJSON writes
    lines, // on the socket of `serve`: prefix and values separated by tabs, `-` if no route matches, `!
           // error`
};

// `prefix` is empty if no route matches or the address is invalid. If it is invalid, `error` has the reason.
struct row {
    std::string_view address{}; // original text
    std::string_view prefix{};
    std::string_view error{};
    const answer_values* values = nullptr; // values of the table with the matching route
    next_hop number = next_hop::none;      // the matching route's row in `values`
    std::string_view number_text{};        // the value's text, if the table's values are numbers

    // The value in a column; missing if no route matches.
    std::string_view value(std::size_t column) const noexcept {
        if (values == nullptr)
            return {};
        return values->is_number(column) ? number_text : values->cell(number, column);
    }
    void append_json(std::size_t column, std::string& out) const {
        append_json_cell(out, value(column), values == nullptr ? column_type::text : values->type(column));
    }
};

// Column widths of text output, which only grow.
struct text_layout {
    bool is_first = true; // whether no row was written yet
    std::size_t address = 0;
    std::size_t prefix = 1;            // at least the width of a dash
    std::vector<std::size_t> values{}; // one per column except the last

    // Whether no column is wider than in the other layout.
    bool fits_in(const text_layout& other) const noexcept {
        return address <= other.address && prefix <= other.prefix &&
               std::equal(values.begin(), values.end(), other.values.begin(), std::less_equal<>());
    }
};

class row_writer {
  public:
    // `names` has the names of all value columns. With `with_errors`, CSV has a column for errors.
    row_writer(row_format format, bool with_errors, answer_names names);

    // Keeps the texts of written values across calls, at most about this many bytes. The tables of the values
    // must outlive the writer.
    void keep_texts(std::size_t most_bytes = value_texts::usual_bytes) {
        keeps_texts_ = true;
        texts_ = value_texts(most_bytes);
    }

    // Appends the header of CSV or the opening bracket of JSON.
    void begin(std::string& out) const;
    // Appends the closing bracket of JSON.
    void end(std::string& out) const;

    // Text output begins with the column names if the table has several columns. It aligns all rows of one
    // call, and later rows as long as they are not wider.
    void write(std::span<const row> rows, std::string& out);
    // Number of written rows with a match.
    std::uint64_t matched() const noexcept { return matched_; }

    // Layout of the next rows of text output.
    const text_layout& layout() const noexcept { return layout_; }
    // Continues after other rows, which had this layout.
    void continue_with(text_layout layout) {
        layout_ = std::move(layout);
        first_layout_.reset();
    }
    // Layout of the first rows since then, if there were any. Rows that follow any layout which fits in it
    // look the same.
    const std::optional<text_layout>& first_layout() const noexcept { return first_layout_; }

  private:
    // A single column of values needs no header.
    bool has_text_header() const noexcept { return columns_ > 1; }
    void write_text_header(std::string& out) const;
    void put_values(const row& r, std::string& out) const;
    // Like put_values(), but uses the kept text if there is one.
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
    std::size_t columns_; // number of value columns
    // JSON member names with punctuation: `{"address":`, `,"prefix":`, `,"error":`, and one per column.
    std::string address_member_;
    std::string prefix_member_;
    std::string error_member_;
    std::vector<std::string> members_;
    std::string no_values_; // output of put_values() for a row without a match
    bool keeps_texts_ = false;
    value_texts texts_;
    std::uint64_t matched_ = 0;
    text_layout layout_;
    std::optional<text_layout> first_layout_;
};

} // namespace fingerpost::cli
