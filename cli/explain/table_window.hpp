// A small table, or the part of a large one around an address, with its elementary intervals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/explain/explanation.hpp"
#include "cli/explain/structure_collector.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost::cli {

// A table with more routes than `most_whole_routes` is listed in part: the covers of the address, the nearest
// routes before and after it in prefix order, and as many intervals on each side.
constexpr std::size_t most_whole_routes = 64;
constexpr std::size_t most_routes_beside = 6;

// `all`: canonical, in prefix order, each prefix once.
template <class A>
shown_table table_around(std::span<const route<A>> routes, A address, hop_text texts) {
    shown_table shown{.routes = routes.size(), .is_whole = routes.size() <= most_whole_routes};
    std::vector<route<A>> listed;
    if (shown.is_whole) {
        listed.assign(routes.begin(), routes.end());
    } else {
        const auto is_behind = [](A a, const route<A>& r) { return a < r.where.first(); };
        const auto middle = static_cast<std::size_t>(
            std::upper_bound(routes.begin(), routes.end(), address, is_behind) - routes.begin());
        const std::size_t from = middle - std::min(middle, most_routes_beside);
        for (std::size_t i = 0; i < std::min(routes.size(), middle + most_routes_beside); ++i)
            if (i >= from || routes[i].where.contains(address))
                listed.push_back(routes[i]);
    }
    const interval_list<A> intervals = elementary_intervals<A>(routes);
    const auto at = static_cast<std::size_t>(
        std::lower_bound(intervals.ends.begin(), intervals.ends.end(), address) - intervals.ends.begin());
    const std::size_t from = shown.is_whole ? 0 : at - std::min(at, most_routes_beside);
    const std::size_t to =
        shown.is_whole ? intervals.size() : std::min(intervals.size(), at + most_routes_beside + 1);
    const auto first_of = [&](std::size_t i) {
        return i == 0 ? A::first() : A{static_cast<typename A::value_type>(intervals.ends[i - 1].value + 1)};
    };
    for (std::size_t i = from; i < to; ++i) {
        shown_interval interval{
            .first = to_string(first_of(i)), .last = to_string(intervals.ends[i]), .has_address = i == at};
        for (const route<A>& r : routes)
            if (r.where.contains(first_of(i)))
                interval.prefix = to_string(r.where);
        if (intervals.hops[i] == next_hop::none)
            interval.prefix.clear();
        else
            interval.next_hop = texts(intervals.hops[i]);
        shown.intervals.push_back(std::move(interval));
    }
    for (const route<A>& r : listed) {
        shown_route entry{.prefix = to_string(r.where), .next_hop = texts(r.hop)};
        for (const route<A>& other : listed)
            entry.depth +=
                other.where.length < r.where.length && other.where.contains(r.where.first()) ? 1U : 0U;
        // Positions among the listed intervals.
        entry.first_interval = to - from;
        for (std::size_t i = from; i < to; ++i) {
            if (intervals.ends[i] < r.where.first() || r.where.last() < first_of(i))
                continue;
            entry.first_interval = std::min(entry.first_interval, i - from);
            entry.last_interval = i - from;
        }
        shown.listed.push_back(std::move(entry));
    }
    return shown;
}

} // namespace fingerpost::cli
