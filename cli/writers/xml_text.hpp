// Writes any bytes as XML text.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::cli {

// Suitable for text and for attributes in double quotes. Unprintable bytes become escapes (\xNN), so the
// document is always well-formed.
std::string xml_text(std::string_view text);

} // namespace fingerpost::cli
