// Fields of tables and updates as text: a word, or any text without control characters in quotes. Text that
// is written here can be read back unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// Takes a quoted field from `rest`, which begins with its opening quote. Returns nothing if the closing quote
// is missing. A doubled quote means one quote; a field with such quotes is stored in `unescaped`.
std::optional<std::string_view> take_quoted(std::string_view& rest, std::string& unescaped);

bool has_control(std::string_view text) noexcept;

// Appends the text in quotes, with its quotes doubled.
void append_quoted(std::string& out, std::string_view text);
// Appends the text, in quotes if a reader would otherwise find an end, a comment or a separator in it. The
// text must not have control characters, which readers refuse.
void append_text_field(std::string& out, std::string_view text);
// Appends the part of a line after the prefix: the value, unless it is missing, and the line end.
void append_text_value(std::string& out, std::string_view value);

} // namespace fingerpost::io
