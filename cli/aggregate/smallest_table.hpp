// The smallest table with the same answers as a given one: fingerpost/rib/aggregate.hpp for tables with named
// values.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "fingerpost/rib/aggregate.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

// Returns routes in prefix order, with the next hops of `table`. If several next hops are possible, takes the
// one with the lowest values, compared column by column as texts. So tables with the same answers have the
// same result, and aggregating the result again changes nothing.
template <class A>
std::vector<route<A>> smallest_table(const io::loaded_table<A>& table) {
    std::vector<std::uint32_t> by_name(table.values.size());
    std::iota(by_name.begin(), by_name.end(), std::uint32_t{0});
    std::sort(by_name.begin(), by_name.end(), [&](std::uint32_t a, std::uint32_t b) {
        for (std::size_t i = 0; i < table.values.columns(); ++i) {
            const auto order = table.values.cell({a}, i) <=> table.values.cell({b}, i);
            if (order != 0)
                return order < 0;
        }
        return false;
    });
    std::vector<std::uint32_t> ranks(by_name.size());
    for (std::uint32_t rank = 0; rank < by_name.size(); ++rank)
        ranks[by_name[rank]] = rank;

    std::vector<route<A>> ranked = table.routes;
    for (route<A>& r : ranked)
        r.hop = {ranks[r.hop.id]};
    std::vector<route<A>> smallest = aggregate<A>(std::span<const route<A>>(ranked));
    for (route<A>& r : smallest)
        r.hop = {by_name[r.hop.id]};
    return smallest;
}

} // namespace fingerpost::cli
