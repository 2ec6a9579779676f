// Quotes texts of tables and other input for CSV and JSON that is written row by row.
#pragma once

#include <string>
#include <string_view>

#include "io/format/parts/text_field.hpp"

namespace fingerpost::cli {

// Appends the text in quotes, with quotes inside doubled.
using io::append_quoted;
// Appends a field of CSV, in quotes if it has a comma, a quote or a line break.
void append_csv_field(std::string& out, std::string_view text);
// The text with U+FFFD for bytes that are not UTF-8.
std::string valid_utf8(std::string_view text);
// Appends a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

} // namespace fingerpost::cli
