// The addresses in an HTTP request: parameters, a JSON array of strings, or lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/serve/sessions.hpp"

namespace fingerpost::cli {

// The reason for refusing a request.
struct refusal {
    int code = 0; // HTTP status; 0: not refused
    std::string words{};
};

// `%3A` becomes a colon. With `plus_is_blank`, `+` becomes a blank. Invalid codes stay as they are.
std::string percent_decoded(std::string_view text, bool plus_is_blank);

refusal too_many_addresses(std::size_t most);

// The decoded values of all parameters with this name. `query` is the part of a target after the question
// mark.
std::vector<std::string> query_values(std::string_view query, std::string_view name);

// Takes each `address=A` of a query and ignores other parameters.
refusal ask_query(std::string_view query, std::size_t most, session& into);

// Takes all addresses of a body: a JSON array of strings if its first character is a bracket, else lines.
// Refuses other JSON.
refusal ask_body(std::string_view body, std::size_t most, session& into);

} // namespace fingerpost::cli
