// Quotes texts of tables and other input in CSV and JSON that is written row by row.
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/values/column_type.hpp"
#include "io/format/parts/text_field.hpp"

namespace fingerpost::cli {

// Appends the text in quotes, with its quotes doubled.
using io::append_quoted;
// Appends a CSV field, in quotes if it has a comma, a quote or a line break.
void append_csv_field(std::string& out, std::string_view text);
// Appends a table cell as a CSV field: nothing for a missing cell, and an empty text in quotes.
void append_csv_cell(std::string& out, std::string_view cell);
// Returns the text with U+FFFD in place of bytes that are not UTF-8.
std::string valid_utf8(std::string_view text);
// Appends a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
// Appends a cell of a column of this type as a JSON value, as in all JSON output. A missing cell is null;
// numbers and Booleans have no quotes. A cell that does not have the type, which is possible in images of
// other programs, is a string.
void append_json_cell(std::string& out, std::string_view cell, column_type type);

} // namespace fingerpost::cli
