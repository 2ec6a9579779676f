// The parts of an explanation that do not depend on a scheme, for tables of every kind.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cli/answers/answer_values.hpp"
#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {

// Without covers yet. `asked` is the address as it was given.
template <class A>
explanation begin_explanation(const std::string& asked, A address, const answer_values& values) {
    explanation told{.asked = asked, .address = to_string(address), .family = family_of<A>};
    for (std::size_t i = 0; i < values.columns(); ++i) {
        told.columns.emplace_back(values.name(i));
        told.types.push_back(values.type(i));
    }
    return told;
}

// Covers are added shortest first.
template <class A>
void add_cover(explanation& to, const prefix<A>& where, next_hop row, const answer_values& values) {
    covering_prefix& cover = to.covers.emplace_back(covering_prefix{to_string(where)});
    for (std::size_t i = 0; i < values.columns(); ++i)
        cover.values.push_back(values.text(row, i));
}

// With it comes the range of addresses that have the same answer.
inline void add_table(explanation& to, shown_table table) {
    for (const shown_interval& one : table.intervals)
        if (one.has_address) {
            to.first = one.first;
            to.last = one.last;
        }
    to.table = std::move(table);
}

// After the table, whose listed routes it looks for among the nodes.
inline void add_lookup(explanation& to, explained_lookup lookup, bool shows_steps) {
    lookup.shows_steps = shows_steps;
    std::set<std::string_view> routes;
    for (const shown_route& one : to.table.listed)
        routes.insert(one.prefix);
    for (explained_node& node : lookup.structure.listed)
        node.is_route = routes.contains(node.prefix);
    to.lookups.push_back(std::move(lookup));
}

} // namespace fingerpost::cli
