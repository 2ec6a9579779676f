// The lookup benchmark: checks every competitor, then times them against each other on every workload.
//
// A number is made like this (docs/inside/measuring.md). The competitors are built and the trace of a
// workload is drawn. Each competitor answers a sample of it in every form that will be timed; one that
// differs from the oracle is not timed at all. Then, in each round, all cases (competitor, batch, mode,
// threads) run in a random order on the same slice of the trace. Before its timed part, each runs 1/8 of its
// work untimed elsewhere in the trace, so that no case pays for what the case before left in the caches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/timing/countdown.hpp"
#include "bench/measured/lookup_result.hpp"
#include "lab/competitors/linked/competitors.hpp"

namespace fingerpost::bench {

struct lookup_settings {
    std::vector<std::string> workloads = {"match", "zipf", "uniform"};
    std::vector<std::size_t> batches = {1, 8, 64, 256};
    // The forms of input for throughput besides whole addresses, for IPv6.
    bool first64 = false; // no route of the table is longer than /64
    bool halves = false;
    bool throughput = true;
    bool latency = true;
    std::vector<unsigned> threads = {1};
    std::vector<unsigned> cpus; // at least as many as the most threads; thread i is pinned to cpus[i]
    unsigned rounds = 15;
    double round_ms = 20; // the target time of each case in a round
    statistic judged_by{};
    std::size_t addresses = std::size_t{1} << 24;
    // The answers compared for each form of each competitor on each workload; all of a shorter trace.
    std::size_t checked = std::size_t{1} << 18;
    std::uint64_t seed = 1;
};

// What rows say about their table and the harness does not know.
struct table_labels {
    std::string table;
    std::string next_hops;
    unsigned family = 6;
};

struct lookup_results {
    std::vector<lookup_row> rows;
    std::vector<std::string> notes; // competitors and workloads that are impossible for this table
    std::vector<std::string> wrong; // the first wrong answer of every refused competitor
};

// Reports to `progress` if it is set. Throws std::bad_alloc.
template <class A>
lookup_results measure_lookup(const routes<A>& table, const std::vector<competitor<A>>& competitors,
                              const lookup_settings& settings, const table_labels& labels,
                              const progress_teller& progress = {});

} // namespace fingerpost::bench
