// The choices of `enrich`: kinds of input and the treatment of rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fingerpost::cli::enrich {

// `columns` are separated by blanks. `json` is a document whose rows are the objects of an array in it.
enum class row_kind : std::uint8_t { csv, tsv, columns, ndjson, json, lines, log };

constexpr bool has_columns(row_kind kind) noexcept {
    return kind == row_kind::csv || kind == row_kind::tsv || kind == row_kind::columns;
}
constexpr bool has_members(row_kind kind) noexcept {
    return kind == row_kind::ndjson || kind == row_kind::json;
}

// For rows without a match. `only` writes those of them that have an address, and no other rows. `inverse`
// and `select` are for `grep`: `inverse` writes all rows without a match and no others, `select` all with a
// match, without empty lines.
enum class miss_policy : std::uint8_t { empty, drop, keep, error, only, inverse, select };
// For rows without a valid address where one is required.
enum class error_policy : std::uint8_t { null, drop, fail };
enum class log_style : std::uint8_t { tab, pairs };
// For several addresses in a field or log line.
enum class which_address : std::uint8_t { first, last, all };

// Additions of `grep` to a written row, or replacements.
struct line_form {
    bool has_file = false;   // prefix: the file name
    bool has_number = false; // prefix: the number of the row's first line
    bool only_addresses = false;
    bool ends_line = false; // adds a line feed if the last row of a file lacks one

    constexpr bool is_plain() const noexcept {
        return !has_file && !has_number && !only_addresses && !ends_line;
    }
};

// How rows with columns are split into fields.
struct csv_dialect {
    char delimiter = ','; // a blank stands for any number of blanks and tabs
    bool quotes = true;   // whether a field in double quotes may contain delimiters and line ends

    constexpr bool has_blanks() const noexcept { return delimiter == ' '; }
};

// How the rows of an input are split.
struct row_layout {
    row_kind kind = row_kind::lines;
    csv_dialect dialect{};           // for rows with columns
    bool has_header = false;         // the first row has the column names
    bool has_comment_header = false; // lines that begin with # have the column names
};

// A longer row is a fault, caused by a missing closing quote or a binary file.
inline constexpr std::size_t max_row_bytes = std::size_t{1} << 20;

} // namespace fingerpost::cli::enrich
