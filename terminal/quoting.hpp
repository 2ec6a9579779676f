// Quotes texts of tables and other input for CSV and JSON that is written row by row.
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/values/column_type.hpp"
#include "io/format/parts/text_field.hpp"

namespace fingerpost::cli {

// Appends the text in quotes, with quotes inside doubled.
using io::append_quoted;
// Appends a field of CSV, in quotes if it has a comma, a quote or a line break.
void append_csv_field(std::string& out, std::string_view text);
// Appends a cell of a table as a field of CSV: nothing if it is missing, and an empty text in quotes.
void append_csv_cell(std::string& out, std::string_view cell);
// The text with U+FFFD for bytes that are not UTF-8.
std::string valid_utf8(std::string_view text);
// Appends a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
// Appends a cell of a column of this type as a value of JSON; all output of JSON does it this way. A missing
// cell is null, numbers and booleans have no quotes. A cell that is not of the type, as an image that was not
// written by fingerpost may have, is a string.
void append_json_cell(std::string& out, std::string_view cell, column_type type);

} // namespace fingerpost::cli
