// The fields of tables and updates as text: a word, or any text without control characters in quotes. What is
// written here can be read back unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// Takes a quoted field; `rest` begins with its opening quote. Nothing if the closing quote is missing. Two
// quotes inside mean one; then the field is stored in `unescaped`.
std::optional<std::string_view> take_quoted(std::string_view& rest, std::string& unescaped);

bool has_control(std::string_view text) noexcept;

// In quotes, with quotes inside doubled.
void append_quoted(std::string& out, std::string_view text);
// In quotes if a reader would find an end, a comment or a separator in it. The text must not have control
// characters, which readers refuse.
void append_text_field(std::string& out, std::string_view text);
// Appends what follows the prefix in a line of a table: the value, unless it is missing, and the line's end.
void append_text_value(std::string& out, std::string_view value);

} // namespace fingerpost::io
