// The addresses in an HTTP request: parameters, a JSON array of strings, or lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/serve/sessions.hpp"

namespace fingerpost::cli {

// Why a request is refused.
struct refusal {
    int code = 0; // HTTP status; 0 if it is not refused
    std::string words{};
};

// `%3A` becomes a colon and, with `plus`, `+` becomes a blank; invalid codes stay as they are.
std::string percent_decoded(std::string_view text, bool plus_is_blank);

refusal too_many_addresses(std::size_t most);

// The decoded values of all parameters with this name in the part of a target after the question mark.
std::vector<std::string> query_values(std::string_view query, std::string_view name);

// Takes each `address=A` in the part of a target after the question mark; other parameters are ignored.
refusal ask_query(std::string_view query, std::size_t most, session& asked);

// Takes all addresses of a body: a JSON array of strings if its first character is a bracket, else lines.
// Other JSON is refused.
refusal ask_body(std::string_view body, std::size_t most, session& asked);

} // namespace fingerpost::cli
