// The answers of a lookup, in every form that they are written in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/answer_values.hpp"
#include "cli/answers/value_texts.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli {

enum class row_format : std::uint8_t {
    text,
    csv,
    ndjson,
    json,  // one array of the objects of NDJSON
    lines, // of the socket of `serve`: prefix and values behind TABs, `-` where no route matches, `! error`
};

// `prefix` is empty when no route matches, also when the address is none, which `error` tells.
struct row {
    std::string_view address{}; // as it was asked
    std::string_view prefix{};
    std::string_view error{};
    const answer_values* values = nullptr; // of the matching route's table
    next_hop number = next_hop::none;      // of the matching route's row in them
    std::string_view number_text{};        // of tables whose values are numbers

    // Empty where no route matches, too.
    std::string_view value(std::size_t column) const noexcept {
        if (values == nullptr)
            return {};
        return values->is_number(column) ? number_text : values->cell(number, column);
    }
};

class row_writer {
  public:
    // `names` has those of the values of every row. CSV has a column for errors if there may be some.
    row_writer(row_format format, bool with_errors, answer_names names);

    // Keeps the texts of values that it has written, for as many rows as come; the tables of their values
    // must outlive it.
    void keep_texts() noexcept { keeps_texts_ = true; }

    // What stands before the first row: the header of CSV, the bracket of JSON.
    void begin(std::string& out) const;
    // What stands behind the last one.
    void end(std::string& out) const;

    // Text aligns the columns of all rows given at once, and of later ones while they are not wider.
    void write(std::span<const row> rows, std::string& out);

  private:
    void put_values(const row& r, std::string& out) const;
    // put_values(), of what is kept if there is such.
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
    // Of JSON, with what stands around them: `{"address":`, `,"prefix":`, `,"error":`, one for each column.
    std::string address_member_;
    std::string prefix_member_;
    std::string error_member_;
    std::vector<std::string> members_;
    std::string no_values_; // put_values() of a row without a match
    bool keeps_texts_ = false;
    value_texts texts_;
    bool is_first_ = true; // no row has been written
    std::size_t address_width_ = 0;
    std::size_t prefix_width_ = 1;          // a dash at least
    std::vector<std::size_t> value_widths_; // of all columns but the last
};

} // namespace fingerpost::cli
