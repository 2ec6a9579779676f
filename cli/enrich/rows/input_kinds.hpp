// What `enrich` reads and what is to become of rows: the words of its options as values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fingerpost::cli::enrich {

enum class row_kind : std::uint8_t { csv, tsv, ndjson, lines, log };

constexpr bool has_header_row(row_kind kind) noexcept {
    return kind == row_kind::csv || kind == row_kind::tsv;
}

// Of rows in which no address has a match. `only` writes those of them that have an address, and no others;
// `inverse` writes all of them and no others, `select` none of them and no empty lines: these are for `grep`.
enum class miss_policy : std::uint8_t { empty, drop, keep, error, only, inverse, select };
// Of rows without a valid address where one must be.
enum class error_policy : std::uint8_t { null, drop, fail };
enum class log_style : std::uint8_t { tab, pairs };
enum class log_which : std::uint8_t { first, all };

// How rows of CSV and TSV are cut into fields.
struct csv_dialect {
    char delimiter = ',';
    bool quotes = true; // a field may stand in double quotes, then it may hold delimiters and line ends
};

// How the rows of an input are cut.
struct row_layout {
    row_kind kind = row_kind::lines;
    csv_dialect dialect{};   // of CSV and TSV
    bool has_header = false; // the first row has the names of the columns
};

// A longer row is a fault: an opening quote without its closing one, or a binary file.
inline constexpr std::size_t max_row_bytes = std::size_t{1} << 20;

} // namespace fingerpost::cli::enrich
