// The parts of an explanation that do not depend on a scheme, for tables of every kind.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cli/answers/answer_values.hpp"
#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {

// Starts an explanation without covers. `input` is the address as the user wrote it.
template <class A>
explanation begin_explanation(const std::string& input, A address, const answer_values& values) {
    explanation result{.input = input, .address = to_string(address), .family = family_of<A>};
    for (std::size_t i = 0; i < values.columns(); ++i) {
        result.columns.emplace_back(values.name(i));
        result.types.push_back(values.type(i));
    }
    return result;
}

// Covers are added shortest first.
template <class A>
void add_cover(explanation& to, const prefix<A>& where, next_hop row, const answer_values& values) {
    covering_prefix& cover = to.covers.emplace_back(covering_prefix{to_string(where)});
    for (std::size_t i = 0; i < values.columns(); ++i)
        cover.values.push_back(values.text(row, i));
}

// Adds the table, and the range of addresses with the same answer.
inline void add_table(explanation& to, shown_table table) {
    for (const shown_interval& interval : table.intervals)
        if (interval.has_address) {
            to.first = interval.first;
            to.last = interval.last;
        }
    to.table = std::move(table);
}

// Call it after add_table(), because it marks the nodes of listed routes.
inline void add_lookup(explanation& to, explained_lookup lookup, bool shows_steps) {
    lookup.shows_steps = shows_steps;
    std::set<std::string_view> routes;
    for (const shown_route& route : to.table.listed)
        routes.insert(route.prefix);
    for (explained_node& node : lookup.structure.listed)
        node.is_route = routes.contains(node.prefix);
    to.lookups.push_back(std::move(lookup));
}

} // namespace fingerpost::cli
