// Answers in the coding of content that nearly all clients take.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fingerpost::system {

// Whether a client with this Accept-Encoding takes gzip.
bool takes_gzip(std::string_view accepted);

// Nothing in a build without zlib, and when there is no memory.
std::optional<std::string> gzip_text(std::string_view text);

} // namespace fingerpost::system
