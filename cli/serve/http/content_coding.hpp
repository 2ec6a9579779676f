// Compressed request bodies.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/serve/http/request_addresses.hpp"

namespace fingerpost::cli {

// Whether the value of Content-Encoding is supported: gzip, deflate, identity, or empty. Lists are not
// supported.
bool is_known_coding(std::string_view coding);
// Whether a body with this supported coding must be decoded.
bool is_coded(std::string_view coding);

// Decodes the whole body. Refuses bodies that are truncated or damaged, or larger than `most` bytes.
refusal decode(std::string_view coding, std::string_view body, std::size_t most, std::string& into);

refusal long_body(std::size_t most);

} // namespace fingerpost::cli
