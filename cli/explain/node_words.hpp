// The words for a node: trees, drawings and sentences all use these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {

// `bit 8`, `bits 0 to 7`
std::string bit_range(unsigned first, unsigned bits);

// The addresses that a node covers: `10.0.0.0/8`, or `10.0.0.0 to 10.2.255.255` for a range that is not a
// prefix.
std::string range_of(const explained_node& node);

// The bit on which a node branches, if it has one.
std::optional<unsigned> branch_bit(const explained_node& node);

// The next hop of a node that has one of its own; empty without one.
std::string own_answer(const explained_node& node);

struct node_fact {
    std::string text;
    bool is_drawn = false; // drawings show it as cells or as a label
};
// The contents of a node, the most important first: `next hop core`, `compares bits 0 to 7`, `branches on
// bit 8`.
std::vector<node_fact> facts_of(const explained_node& node);

} // namespace fingerpost::cli
