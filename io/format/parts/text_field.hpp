// The fields of tables and updates as text: a word, or anything but control characters in quotes. What is
// written here is read back as it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// Takes a field in quotes, of which `rest` has the first; nothing when the last one is missing. Two quotes
// within stand for one, which `unescaped` then has.
std::optional<std::string_view> take_quoted(std::string_view& rest, std::string& unescaped);

bool has_control(std::string_view text) noexcept;

// In quotes, those within doubled.
void append_quoted(std::string& out, std::string_view text);
// In quotes where a reader would see an end, a comment or a separator in it. It must have no control
// characters, which readers refuse.
void append_text_field(std::string& out, std::string_view text);
// What stands behind the prefix in a line of a table: the value, unless it is empty, and the end of the line.
void append_text_value(std::string& out, std::string_view value);

} // namespace fingerpost::io
