// The router's benchmark: sets up competitors, checks where they send packets, and times them in turn.
//
// Measurement of a number: the schemes are measured in groups, and the references run with each group: DPDK's
// table in the plain loop, and `fixed` in every arrangement. All competitors of a group first forward the
// first 65,536 addresses of the trace, and each packet's gateway is compared with the oracle's. They then
// take turns, round after round in random order. In each round a competitor forwards for 3 ms untimed and
// then for the duration of a round, as fast as it can. Ratios are computed within a round, so that longer
// disturbances of the machine affect both sides. Further rounds follow: at a load that is a fraction of the
// competitor's maximum, and with changes of routes, each paired with a round without changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/timing/countdown.hpp"
#include "router/bench/routed.hpp"
#include "router/bench/router_result.hpp"

namespace fingerpost::bench {

struct router_settings {
    std::vector<std::string> schemes; // names of the registry
    std::vector<router::run_mode> ways = {router::run_mode::complete, router::run_mode::fused,
                                          router::run_mode::pipeline};
    std::vector<std::string> workloads = {"match"};
    bool delays = true;           // for `complete` and the loops
    bool changes = true;          // for `complete`
    std::uint32_t gateways = 256; // maximum number of gateways; up to most_gateways
    unsigned burst = 64;
    double load = 0.9;
    double changes_per_second = 100'000;
    unsigned change_burst = 64;
    unsigned rounds = 11;
    double round_ms = 10;
    std::size_t addresses = std::size_t{1} << 20;
    std::uint64_t seed = 1;
    std::vector<unsigned> cpus; // for the data threads; the last CPUs of the process are for the others
};

// The lcore of the host thread: above those of the data threads.
inline constexpr unsigned host_lcore = 4;

// DPDK must run with lcores 1 to host_lcore. Throws std::bad_alloc.
template <class A>
router_report measure_router(std::vector<route<A>> sorted, const std::string& table,
                             const router_settings& settings, const progress_teller& progress);

} // namespace fingerpost::bench
