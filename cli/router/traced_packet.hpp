// A packet that a router has traced: its answers together, and how its lookup is told.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/explain/explanation.hpp"
#include "cli/router/router_values.hpp"

namespace fingerpost::cli {

// The number of steps that an answer to `trace_next` or `trace_steps` has, from `first` on.
std::size_t steps_in(const answer& told, std::size_t first);

// How the scheme found the packet's route, from the members `packet`, `events` and `step0` to the last one:
// one lookup, without nodes, or none if the packet was not looked up or the table has changed since. It
// refers to the answer. Throws failure if the answer makes no sense.
explanation explained_route(const answer& told);

// One object for programs, and lines of at most `width` characters for people, as far as words permit; 0: of
// any width.
answer packet_object(const answer& told);
std::string packet_text(const answer& told, std::size_t width);

} // namespace fingerpost::cli
