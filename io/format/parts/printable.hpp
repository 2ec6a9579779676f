// Makes text safe for a terminal: keeps printable UTF-8 and escapes everything else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// Returns the length in bytes of the well-formed UTF-8 character at the start of `text`, which must not be
// empty; 0 if there is none.
std::size_t utf8_size(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

// Returns the text with each byte that is not part of a well-formed character replaced by U+FFFD.
std::string mended_utf8(std::string_view text);

// Like utf8_size(), but also returns 0 for control characters (C0, DEL and C1), for invisible characters, and
// for characters that change the writing direction.
std::size_t printable_size(std::string_view text) noexcept;

// Writes each byte that is not printable as \xNN. Escaping twice equals escaping once.
std::string printable(std::string_view text);

} // namespace fingerpost::io
