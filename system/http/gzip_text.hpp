// Compresses answers in the content coding that nearly all clients accept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fingerpost::system {

// Whether a client with this Accept-Encoding accepts gzip.
bool takes_gzip(std::string_view accepted);

// Nothing in a build without zlib, and without memory.
std::optional<std::string> gzip_text(std::string_view text);

} // namespace fingerpost::system
