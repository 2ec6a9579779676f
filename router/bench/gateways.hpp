// Maps the next hops of a table to gateways of the benchmark: numbered from 0, even ones on port 0, odd ones
// on port 1.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost::bench {

// Renumbers the next hops of routes to at most `most`, and adds a /0 if there is none: the benchmark counts
// packets, so all of them must be forwarded. If a table has more next hops, several share a gateway, because
// routers have few neighbours. Returns the number of gateways.
template <class A>
std::uint32_t number_gateways(std::vector<route<A>>& sorted, std::uint32_t most) {
    if (sorted.empty() || sorted.front().where.length != 0)
        sorted.insert(sorted.begin(), {prefix<A>{}, sorted.empty() ? next_hop{0} : sorted.front().hop});
    std::vector<std::uint32_t> known;
    for (const route<A>& entry : sorted)
        known.push_back(entry.hop.id);
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (route<A>& entry : sorted) {
        const auto place = std::lower_bound(known.begin(), known.end(), entry.hop.id) - known.begin();
        entry.hop.id = static_cast<std::uint32_t>(place) % most;
    }
    return std::min(static_cast<std::uint32_t>(known.size()), most);
}

} // namespace fingerpost::bench
