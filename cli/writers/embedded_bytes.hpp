// Bytes inside other documents: compressed with zlib, or encoded as text.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::cli {

// In zlib's format (RFC 1950), at the highest compression. Throws failure if the program was built without
// zlib.
std::string deflated(std::string_view bytes);

// With padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

} // namespace fingerpost::cli
