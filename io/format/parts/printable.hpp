// What of a text a terminal may be shown: printable UTF-8 as it is, everything else as escapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// How many bytes the well-formed UTF-8 character at the start of `text`, which is not empty, has; 0 when
// there is none.
std::size_t utf8_size(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

// utf8_size() of a character that a terminal shows: 0 for control characters (C0, DEL and C1) too, and for
// those that turn the direction of writing or cannot be seen.
std::size_t printable_size(std::string_view text) noexcept;

// Each byte of what is not printable becomes \xNN. A text that is all printable stays as it is, so escaping
// twice is escaping once.
std::string printable(std::string_view text);

} // namespace fingerpost::io
