// Text made safe for a terminal: printable UTF-8 as it is, everything else as escapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// The length in bytes of the well-formed UTF-8 character at the start of `text`, which is not empty; 0 if
// there is none.
std::size_t utf8_size(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

// Like utf8_size(), but also 0 for control characters (C0, DEL and C1), and for characters that change the
// direction of writing or are invisible.
std::size_t printable_size(std::string_view text) noexcept;

// Writes each byte that is not printable as \xNN. Printable text stays as it is, so escaping twice equals
// escaping once.
std::string printable(std::string_view text);

} // namespace fingerpost::io
