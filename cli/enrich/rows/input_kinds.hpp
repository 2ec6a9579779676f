// What `enrich` reads and what is to become of rows: the words of its options as values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fingerpost::cli::enrich {

// `columns` stand between blanks; `json` is a document whose rows are the objects of an array in it.
enum class row_kind : std::uint8_t { csv, tsv, columns, ndjson, json, lines, log };

constexpr bool has_columns(row_kind kind) noexcept {
    return kind == row_kind::csv || kind == row_kind::tsv || kind == row_kind::columns;
}
constexpr bool has_members(row_kind kind) noexcept {
    return kind == row_kind::ndjson || kind == row_kind::json;
}

// Of rows in which no address has a match. `only` writes those of them that have an address, and no others;
// `inverse` writes all of them and no others, `select` none of them and no empty lines: these are for `grep`.
enum class miss_policy : std::uint8_t { empty, drop, keep, error, only, inverse, select };
// Of rows without a valid address where one must be.
enum class error_policy : std::uint8_t { null, drop, fail };
enum class log_style : std::uint8_t { tab, pairs };
// Of several in a field or a log line.
enum class which_address : std::uint8_t { first, last, all };

// What `grep` writes of a row besides the row itself, or instead of it.
struct line_form {
    bool has_file = false;   // the name of its file, before it
    bool has_number = false; // the number of its first line, before it
    bool only_addresses = false;
    bool ends_line = false; // a line feed after the last row of a file, which may have none

    constexpr bool is_plain() const noexcept {
        return !has_file && !has_number && !only_addresses && !ends_line;
    }
};

// How rows with columns are cut into fields.
struct csv_dialect {
    char delimiter = ','; // a blank stands for any number of blanks and tabs
    bool quotes = true;   // a field may stand in double quotes, then it may hold delimiters and line ends

    constexpr bool has_blanks() const noexcept { return delimiter == ' '; }
};

// How the rows of an input are cut.
struct row_layout {
    row_kind kind = row_kind::lines;
    csv_dialect dialect{};           // of rows with columns
    bool has_header = false;         // the first row has the names of the columns
    bool has_comment_header = false; // lines that begin with # have them
};

// A longer row is a fault: an opening quote without its closing one, or a binary file.
inline constexpr std::size_t max_row_bytes = std::size_t{1} << 20;

} // namespace fingerpost::cli::enrich
