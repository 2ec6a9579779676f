// The experiment of the PlanB paper: the cost of a change for batches of growing size, and the build time for
// growing numbers of routes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/measure_updates.hpp"
#include "bench/measured/amortised_result.hpp"
#include "lab/competitors/linked/competitors.hpp"

namespace fingerpost::bench {

struct amortised_settings {
    std::vector<std::size_t> batches; // changes per transaction; sizes above the number of prefixes are
                                      // left out
    std::size_t changes = 100'000;    // of the list
    unsigned rounds = 11;
    double round_ms = 50; // a round of small batches repeats them for this time
    std::uint64_t seed = 1;
};

// Returns 1, 4, 16, ... and `most`.
std::vector<std::size_t> growing_batches(std::size_t most);

// Measures batches of the workload churn without readers, in a random order in each round. The answers are
// compared with the oracle before and after, as in measure_updates(). Throws std::bad_alloc.
template <class A>
void measure_batches(std::span<const route<A>> sorted, const std::vector<live_competitor>& competitors,
                     const amortised_settings& settings, const std::string& table_name,
                     amortised_results& into, const progress_teller& progress = {});

// Returns a row for each scheme. Builds it from these sorted routes, including the sweep, `rounds` times or
// for three seconds (build_seconds), but at least twice. Throws std::bad_alloc.
template <class A>
void measure_rebuilds(std::span<const route<A>> sorted, const std::vector<live_competitor>& competitors,
                      unsigned rounds, const std::string& table_name, amortised_results& into,
                      const progress_teller& progress = {});

} // namespace fingerpost::bench
