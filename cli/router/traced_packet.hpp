// A traced packet: the router's combined answers, and their text.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/explain/explanation.hpp"
#include "cli/router/router_values.hpp"

namespace fingerpost::cli {

// The number of steps in an answer to `trace_next` or `trace_steps`, starting at `first`.
std::size_t steps_in(const answer& reply, std::size_t first);

// Explains how the scheme found the packet's route, from the members `packet`, `events` and `step0` up to the
// last step. The result has one lookup without nodes, or none if the packet was not looked up or the table
// has changed since. It refers to the answer. Throws failure if the answer is inconsistent.
explanation explained_route(const answer& reply);

// One object for programs, or lines of about `width` characters for people; 0 means any width.
answer packet_object(const answer& reply);
std::string packet_text(const answer& reply, std::size_t width);

} // namespace fingerpost::cli
