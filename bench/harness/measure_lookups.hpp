// The lookup benchmark: checks every competitor, then times them against each other on every workload.
//
// A number is made like this (docs/inside/measuring.md): the competitors are built and the trace of a
// workload is drawn; each competitor answers a sample of it in every form that will be timed, and one that
// differs from the oracle is not timed at all. Then, round after round, all cases (competitor, batch, mode,
// threads) take turns in a random order on the same slice of the trace, each preceded by an untimed eighth of
// its work elsewhere in the trace, so that nobody pays for what the one before left in the caches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/competitors/competitors.hpp"
#include "bench/harness/timing/countdown.hpp"
#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

struct lookup_settings {
    std::vector<std::string> workloads = {"match", "zipf", "uniform"};
    std::vector<std::size_t> batches = {1, 8, 64, 256};
    // Which forms of input throughput has besides whole addresses; for IPv6.
    bool first64 = false; // no route of the table is longer than /64
    bool halves = false;
    bool throughput = true;
    bool latency = true;
    std::vector<unsigned> threads = {1};
    std::vector<unsigned> cpus; // to pin to, as many as the most threads; thread i takes cpus[i]
    unsigned rounds = 15;
    double round_ms = 20; // what each case aims to take in a round
    statistic judged_by{};
    std::size_t addresses = std::size_t{1} << 24;
    std::uint64_t seed = 1;
};

// What rows say of their table and the harness does not know.
struct table_labels {
    std::string table;
    std::string next_hops;
    unsigned family = 6;
};

struct lookup_results {
    std::vector<lookup_row> rows;
    std::vector<std::string> notes; // competitors and workloads that this table does not admit
    std::vector<std::string> wrong; // for every refused competitor, its first wrong answer
};

// Tells `progress`, where there is one. Throws std::bad_alloc.
template <class A>
lookup_results measure_lookup(const routes<A>& table, const std::vector<competitor<A>>& competitors,
                              const lookup_settings& settings, const table_labels& labels,
                              const progress_teller& progress = {});

} // namespace fingerpost::bench
