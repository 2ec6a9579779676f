// The experiment `queries`: the cost of a change while other threads continuously make exact queries, which
// share a lock with the writer.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/measure_updates.hpp"
#include "bench/harness/timing/countdown.hpp"
#include "bench/measured/exact_queries_result.hpp"

namespace fingerpost::bench {

struct query_settings {
    unsigned threads = 3;          // threads that make queries
    std::vector<unsigned> cpus{};  // for all threads, including the writer
    std::size_t changes = 100'000; // of the list
    double seconds = 1;            // duration of each row
    std::uint64_t seed = 1;
};

struct query_results {
    std::vector<query_row> rows;
    std::vector<std::string> notes;
    std::vector<std::string> wrong;
};

// Times single changes of the workload churn until their commit returns: without queries, while all threads
// query the longest match of one address, and while all threads copy all routes. Afterwards the answers are
// compared with the oracle. Throws std::bad_alloc.
template <class A>
void measure_queries(std::span<const route<A>> sorted, const std::vector<live_competitor>& competitors,
                     const query_settings& settings, const std::string& table_name, query_results& into,
                     const progress_teller& progress = {});

} // namespace fingerpost::bench
