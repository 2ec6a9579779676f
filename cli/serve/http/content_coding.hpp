// Bodies of requests that come compressed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/serve/http/request_addresses.hpp"

namespace fingerpost::cli {

// What a Content-Encoding may be: gzip, deflate, identity, or nothing. It is one, no list.
bool is_known_coding(std::string_view coding);
// Whether a body in this known coding has to be decoded.
bool is_coded(std::string_view coding);

// Decodes the whole body or refuses all of it, when it is cut or damaged, or has more than `most` bytes.
refusal decode(std::string_view coding, std::string_view body, std::size_t most, std::string& into);

refusal long_body(std::size_t most);

} // namespace fingerpost::cli
