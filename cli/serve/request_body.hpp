// The addresses in the body of a request: a JSON array of strings, or lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/serve/sessions.hpp"

namespace fingerpost::cli {

// Why a request is refused.
struct refusal {
    int code = 0; // of HTTP; 0 when it is not refused
    std::string words{};
};

refusal too_many_addresses(std::size_t most);

// Asks for all of them. A body whose first character is a bracket is JSON.
refusal ask_body(std::string_view body, std::size_t most, session& asked);

} // namespace fingerpost::cli
