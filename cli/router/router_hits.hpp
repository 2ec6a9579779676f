// Pages of where packets go and how long they take, for `router show` and `router top`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/router/router_socket.hpp"
#include "cli/router/router_values.hpp"

namespace fingerpost::cli {

// All items of a list that the router returns in parts: `stages`, `next_hops` or `prefixes`. Each has its
// number as its name.
answer ask_for_items(router_socket& router, const std::string& list);

// Cycles a packet by thread, stage and batch size, in what was counted after `before`, which is null for all.
// Empty when nothing was timed.
std::string stages_text(const answer& before, const answer& now);

// The next hops with most packets first; with `seconds` since `before` also packets a second.
std::string next_hops_text(const answer& before, const answer& now, double seconds);

// In the router's order: the busiest first.
std::string prefixes_text(const answer& now, std::size_t most);

} // namespace fingerpost::cli
