// Bytes that stand inside other documents: compressed by zlib, and as text.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::cli {

// In zlib's format (RFC 1950), as small as zlib makes it. Throws failure if this program was built without
// zlib.
std::string deflated(std::string_view bytes);

// With padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

} // namespace fingerpost::cli
