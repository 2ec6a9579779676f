// Compressed bodies of requests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/serve/http/request_addresses.hpp"

namespace fingerpost::cli {

// The allowed values of Content-Encoding: gzip, deflate, identity, or nothing; only one, not a list.
bool is_known_coding(std::string_view coding);
// Whether a body in this known coding must be decoded.
bool is_coded(std::string_view coding);

// Decodes the whole body, or refuses it if it is cut or damaged, or has more than `most` bytes.
refusal decode(std::string_view coding, std::string_view body, std::size_t most, std::string& into);

refusal long_body(std::size_t most);

} // namespace fingerpost::cli
