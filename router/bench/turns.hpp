// The data that a measurement keeps for each competitor, and the comparison of its rounds with the
// references.
//
// The references (DPDK's table, and `fixed`, which does no lookup) run with each group of schemes, so they
// have the rounds of all groups. measure.hpp describes how a round is measured.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/measured/statistics.hpp"
#include "router/bench/routed.hpp"
#include "router/bench/router_competitor.hpp"
#include "router/bench/router_result.hpp"

namespace fingerpost::bench {

template <class A>
struct measured_competitor {
    router_row row;
    std::unique_ptr<router_competitor> runs;
    routed* data_plane = nullptr; // `runs`, if it is a data plane
    bool is_reference = false;
};

// Median ratio of the speeds of `competitor` and `reference` within the same rounds: round i of `competitor`
// was measured together with round i + `from` of `reference`. Returns nothing if they have no round in
// common.
template <class A>
std::optional<double> ratio(const measured_competitor<A>& competitor, const measured_competitor<A>& reference,
                            std::size_t from) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < competitor.row.mpps_rounds.size(); ++i)
        if (i + from < reference.row.mpps_rounds.size() && reference.row.mpps_rounds[i + from] > 0)
            ratios.push_back(competitor.row.mpps_rounds[i] / reference.row.mpps_rounds[i + from]);
    if (ratios.empty())
        return std::nullopt;
    return quartiles_of(std::move(ratios)).median;
}

// Sets the quartiles of the speed, its ratio to DPDK's table, which is the first reference, and its ratio to
// `fixed` in the same arrangement. `from` as for ratio(). There must be at least one reference.
template <class A>
void compare(measured_competitor<A>& competitor, const std::vector<measured_competitor<A>>& references,
             std::size_t from) {
    competitor.row.mpps = quartiles_of(competitor.row.mpps_rounds);
    competitor.row.of_dpdk = ratio(competitor, references.front(), from);
    for (const measured_competitor<A>& other : references)
        if (other.row.name == "fixed" && other.row.way == competitor.row.way)
            competitor.row.of_ceiling = ratio(competitor, other, from);
}

} // namespace fingerpost::bench
