// The fields of rows with columns, as they appear in the text.
//
// Quotes follow Python's csv module and spreadsheets: a field that begins with a quote continues to the next
// single quote, a doubled quote is a literal one, and text after the closing quote up to the delimiter
// belongs to the field. A quote elsewhere is an ordinary character.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"

namespace fingerpost::cli::enrich {

struct csv_row {
    const char* end;         // end of the last field
    const char* next;        // after the line end
    std::size_t field_count; // number of requested fields that the row has
    std::size_t columns;     // number of fields
};

// Reads the row that begins at `at`. `numbers` are ascending column numbers from 0. `fields` receives the raw
// fields that exist.
csv_row read_csv_row(const char* at, const char* end, csv_dialect dialect,
                     std::span<const std::size_t> columns, std::span<std::string_view> fields);

// Whether a quoted field of the row has no closing quote.
bool has_open_quote(std::string_view row, csv_dialect dialect);

// The text of a raw field. Stored in `scratch` if it differs from the raw field.
std::string_view csv_text(std::string_view raw, csv_dialect dialect, std::string& scratch);

// All fields of a row, raw or as texts.
std::vector<std::string_view> csv_fields(std::string_view row, csv_dialect dialect);
std::vector<std::string> csv_texts(std::string_view row, csv_dialect dialect);

} // namespace fingerpost::cli::enrich
