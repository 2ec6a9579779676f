// Shortens the message of nlohmann's parser for text that is not valid JSON.
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// `words`: "[json.exception.parse_error.101] parse error at line 1, column 5: ...". The result has the part
// after the line and column.
inline std::string json_fault(std::string_view words) {
    const auto colon = words.find(": ");
    return "not valid JSON: " +
           std::string(colon == std::string_view::npos ? words : words.substr(colon + 2));
}

} // namespace fingerpost::io
