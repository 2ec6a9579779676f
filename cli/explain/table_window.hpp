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

// Of a table of more routes than `most_whole`, the covers of the address and the nearest routes before and
// behind it in prefix order are listed, and as many intervals on each side.
constexpr std::size_t most_whole_routes = 64;
constexpr std::size_t most_routes_beside = 6;

// `all`: canonical, in prefix order, each prefix once.
template <class A>
shown_table table_around(std::span<const route<A>> all, A address, hop_text texts) {
    shown_table shown{.routes = all.size(), .is_whole = all.size() <= most_whole_routes};
    std::vector<route<A>> listed;
    if (shown.is_whole) {
        listed.assign(all.begin(), all.end());
    } else {
        const auto is_behind = [](A a, const route<A>& r) { return a < r.where.first(); };
        const auto middle = static_cast<std::size_t>(
            std::upper_bound(all.begin(), all.end(), address, is_behind) - all.begin());
        const std::size_t from = middle - std::min(middle, most_routes_beside);
        for (std::size_t i = 0; i < std::min(all.size(), middle + most_routes_beside); ++i)
            if (i >= from || all[i].where.contains(address))
                listed.push_back(all[i]);
    }
    const interval_list<A> intervals = elementary_intervals<A>(all);
    const auto at = static_cast<std::size_t>(
        std::lower_bound(intervals.ends.begin(), intervals.ends.end(), address) - intervals.ends.begin());
    const std::size_t from = shown.is_whole ? 0 : at - std::min(at, most_routes_beside);
    const std::size_t to =
        shown.is_whole ? intervals.size() : std::min(intervals.size(), at + most_routes_beside + 1);
    const auto first_of = [&](std::size_t i) {
        return i == 0 ? A::first() : A{static_cast<typename A::value_type>(intervals.ends[i - 1].value + 1)};
    };
    for (std::size_t i = from; i < to; ++i) {
        shown_interval one{
            .first = to_string(first_of(i)), .last = to_string(intervals.ends[i]), .has_address = i == at};
        for (const route<A>& r : all)
            if (r.where.contains(first_of(i)))
                one.prefix = to_string(r.where);
        if (intervals.hops[i] == next_hop::none)
            one.prefix.clear();
        else
            one.next_hop = texts(intervals.hops[i]);
        shown.intervals.push_back(std::move(one));
    }
    for (const route<A>& r : listed) {
        shown_route one{.prefix = to_string(r.where), .next_hop = texts(r.hop)};
        for (const route<A>& other : listed)
            one.depth +=
                other.where.length < r.where.length && other.where.contains(r.where.first()) ? 1U : 0U;
        // Of the intervals that are listed.
        one.first_interval = to - from;
        for (std::size_t i = from; i < to; ++i) {
            if (intervals.ends[i] < r.where.first() || r.where.last() < first_of(i))
                continue;
            one.first_interval = std::min(one.first_interval, i - from);
            one.last_interval = i - from;
        }
        shown.listed.push_back(std::move(one));
    }
    return shown;
}

} // namespace fingerpost::cli
