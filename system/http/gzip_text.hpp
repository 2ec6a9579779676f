// Compresses answers with gzip, which nearly all clients accept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fingerpost::system {

// Whether a client with this Accept-Encoding accepts gzip.
bool takes_gzip(std::string_view codings);

// Returns nothing in a build without zlib, or if memory is missing.
std::optional<std::string> gzip_text(std::string_view text);

} // namespace fingerpost::system
