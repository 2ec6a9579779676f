// The lookup benchmark: checks all competitors, then times them on every workload.
//
// Measurements work as follows (docs/inside/measuring.md). The competitors are built, and the trace of a
// workload is drawn. Each competitor looks up a sample of it in every form that will be timed. Competitors
// that differ from the oracle are not timed. Then, in each round, all cases (competitor, batch, mode,
// threads) run in a random order on the same slice of the trace. Before its timed part, each case runs 1/8 of
// its work untimed elsewhere in the trace, so that results do not depend on what the previous case left in
// the caches.
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
    // Forms of IPv6 input for throughput, besides whole addresses.
    bool first64 = false; // needs a table without routes longer than /64
    bool halves = false;
    bool throughput = true;
    bool latency = true;
    bool cached = false;   // throughput with addresses in the cache
    bool streamed = false; // throughput with addresses in memory that only the scheme may prefetch
    std::vector<unsigned> threads = {1};
    std::vector<unsigned> cpus; // at least one per thread; thread i is pinned to cpus[i]
    unsigned rounds = 15;
    double round_ms = 20; // the target time of each case in a round
    statistic judged_by{};
    std::size_t addresses = std::size_t{1} << 24;
    // Number of answers to compare for each form of each competitor on each workload, at most the whole
    // trace.
    std::size_t checked = std::size_t{1} << 18;
    std::uint64_t seed = 1;
};

// Facts about the table for the rows of results.
struct table_labels {
    std::string table;
    std::string next_hops;
    unsigned family = 6;
};

// Returns a row with the facts about the table.
template <class A>
lookup_row row_about(const routes<A>& table, const table_labels& labels) {
    lookup_row row;
    row.family = labels.family;
    row.table = labels.table;
    row.next_hops = labels.next_hops;
    row.routes = table.size();
    row.intervals = table.intervals().size();
    return row;
}

struct lookup_results {
    std::vector<lookup_row> rows;
    std::vector<std::string> notes; // competitors and workloads that this table does not support
    std::vector<std::string> wrong; // the first wrong answer of each rejected competitor
};

// Reports to `progress` if it is set. Throws std::bad_alloc.
template <class A>
lookup_results measure_lookup(const routes<A>& table, const std::vector<competitor<A>>& competitors,
                              const lookup_settings& settings, const table_labels& labels,
                              const progress_teller& progress = {});

} // namespace fingerpost::bench
