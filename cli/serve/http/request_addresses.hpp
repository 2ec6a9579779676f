// The addresses that a request of HTTP asks for: parameters, a JSON array of strings, or lines.
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

// `%3A` is a colon, and `+` a blank where parameters are; what is no such code stays as it is.
std::string percent_decoded(std::string_view text, bool plus_is_blank);

refusal too_many_addresses(std::size_t most);

// Asks for each `address=A` of the part of a target behind the question mark; other parameters mean nothing.
refusal ask_query(std::string_view query, std::size_t most, session& asked);

// Asks for all of them. A body whose first character is a bracket is JSON.
refusal ask_body(std::string_view body, std::size_t most, session& asked);

} // namespace fingerpost::cli
