// Tables one route away from a small one, with which the page can add or remove a route.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/explain/explainer.hpp"

namespace fingerpost::cli {

// The routes around an address first: what can be added (the halves of the longest match, the address itself,
// a default route), then the covers, longest first, then all others.
template <class A>
std::vector<table_change<A>> changes_near(const explainer<A>& of, A address) {
    const std::span<const route<A>> table = of.table();
    std::vector<prefix<A>> covers;
    for (const route<A>& entry : table)
        if (entry.where.contains(address))
            covers.push_back(entry.where);
    std::reverse(covers.begin(), covers.end());
    std::vector<prefix<A>> added;
    if (!covers.empty() && covers.front().length < A::bits) {
        const unsigned length = covers.front().length + 1U;
        added = {prefix<A>::make(covers.front().first(), length),
                 prefix<A>::make(covers.front().last(), length)};
    }
    added.push_back(prefix<A>::make(address, A::bits));
    added.push_back(prefix<A>::make(A::first(), 0));
    std::vector<table_change<A>> changes;
    const auto is_in_table = [&](const prefix<A>& where) {
        return std::any_of(table.begin(), table.end(),
                           [&](const route<A>& entry) { return entry.where == where; });
    };
    const auto add = [&](const prefix<A>& where, bool is_added) {
        const bool is_known = std::any_of(changes.begin(), changes.end(), [&](const table_change<A>& change) {
            return change.where == where;
        });
        if (!is_known && is_in_table(where) != is_added)
            changes.push_back({where, is_added});
    };
    for (const prefix<A>& where : added)
        add(where, true);
    for (const prefix<A>& where : covers)
        add(where, false);
    for (const route<A>& entry : table)
        add(entry.where, false);
    return changes;
}

} // namespace fingerpost::cli
