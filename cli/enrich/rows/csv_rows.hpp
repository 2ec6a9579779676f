// The fields of rows with columns, as they stand in the text.
//
// Quotes are read as Python's csv module and spreadsheets do: a field that begins with a quote goes on to the
// next single quote, a doubled one stands for one, and what follows up to the delimiter belongs to it. A
// quote elsewhere is a character like any other.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"

namespace fingerpost::cli::enrich {

struct csv_row {
    const char* end;     // of the last field
    const char* next;    // after the line end
    std::size_t found;   // how many of the wanted fields it has
    std::size_t columns; // how many fields it has
};

// Reads the row that begins at `at`. `wanted` are numbers of columns from 0, growing; `fields` gets those of
// them that there are, raw.
csv_row read_csv_row(const char* at, const char* end, csv_dialect dialect,
                     std::span<const std::size_t> wanted, std::span<std::string_view> fields);

// Whether a field of the row is in quotes that have no end in it.
bool has_open_quote(std::string_view row, csv_dialect dialect);

// The text of a raw field; in `scratch` where it is not the field itself.
std::string_view csv_text(std::string_view raw, csv_dialect dialect, std::string& scratch);

// All fields of a row, raw and as texts.
std::vector<std::string_view> csv_fields(std::string_view row, csv_dialect dialect);
std::vector<std::string> csv_texts(std::string_view row, csv_dialect dialect);

} // namespace fingerpost::cli::enrich
