// Pages that show where packets go and how long they take, for `router show` and `router top`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/router/router_socket.hpp"
#include "cli/router/router_values.hpp"

namespace fingerpost::cli {

// All items of a list that the router returns in parts: `stages`, `next_hops` or `prefixes`. Items are named
// by their number.
answer ask_for_items(router_socket& router, const std::string& list);

// Cycles per packet by thread, stage and batch size, counted after `before`; a null `before` means since the
// start. Empty if nothing was timed.
std::string stages_text(const answer& before, const answer& now);

// Next hops by packets, busiest first. With `seconds` since `before`, also shows packets per second.
std::string next_hops_text(const answer& before, const answer& now, double seconds);

// Prefixes in the router's order, busiest first.
std::string prefixes_text(const answer& now, std::size_t most);

} // namespace fingerpost::cli
