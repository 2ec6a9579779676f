// The experiment of the PlanB paper: the cost of a change in batches of growing size, and the time of a build
// for growing numbers of routes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/measure_updates.hpp"
#include "bench/measured/amortised_result.hpp"
#include "lab/competitors/linked/competitors.hpp"

namespace fingerpost::bench {

struct amortised_settings {
    std::vector<std::size_t> batches; // changes in a transaction; sizes above the number of prefixes in the
                                      // list are left out
    std::size_t changes = 100'000;    // of the list
    unsigned rounds = 11;
    double round_ms = 50; // a round of small batches repeats them for this time
    std::uint64_t seed = 1;
};

// 1, 4, 16, ... and `most`.
std::vector<std::size_t> growing_batches(std::size_t most);

// Batches of the workload churn, without readers; in each round those of one competitor in a random order.
// The answers are compared with the oracle before and after, as in measure_updates(). Throws std::bad_alloc.
template <class A>
void measure_batches(std::span<const route<A>> sorted, const std::vector<live_competitor>& competitors,
                     const amortised_settings& settings, const std::string& table_name,
                     amortised_results& into, const progress_teller& progress = {});

// One row for each scheme: builds it from these sorted routes, including the sweep, `rounds` times or for
// three seconds (build_seconds), but at least twice. Throws std::bad_alloc.
template <class A>
void measure_rebuilds(std::span<const route<A>> sorted, const std::vector<live_competitor>& competitors,
                      unsigned rounds, const std::string& table_name, amortised_results& into,
                      const progress_teller& progress = {});

} // namespace fingerpost::bench
