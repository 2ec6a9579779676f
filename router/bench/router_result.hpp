// The results of the router's benchmark: one row for each competitor and workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measured/lookup_result.hpp"
#include "bench/measured/statistics.hpp"

namespace fingerpost::bench {

// Delay of packets in a router at a fraction of its maximum load, in microseconds.
struct delay_result {
    double load_mpps = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double p99_9 = 0;
    double most = 0;
    double lost_percent_least = 0; // in the round with the smallest loss
    double lost_percent_median = 0;
};

// Speed of a router while its routes change, compared with rounds without changes.
struct change_result {
    double changes_per_second = 0; // of single routes
    double seconds_a_table = 0;    // if whole tables are replaced
    quartiles loss_percent{};      // of packets per second
    delay_result open{};
};

struct router_row {
    std::string name; // name of the scheme; or rte_fib, rte_fib6, fixed
    std::string way;  // complete, fused, pipeline; loop for the plain loop
    unsigned cores = 1;
    bool in_turn = false; // several threads share a core
    unsigned family = 6;
    std::string table;
    std::size_t routes = 0;
    std::uint32_t gateways = 0;
    std::string workload;
    unsigned burst = 0;
    std::size_t bytes = 0;
    std::uint64_t checked = 0; // packets whose gateway was compared with the oracle's
    std::uint64_t wrong = 0;
    std::vector<double> mpps_rounds; // million packets per second, in the order of the rounds
    quartiles mpps{};
    double cycles = 0;                // cycles of the time stamp counter per packet: the median
    std::optional<double> of_dpdk;    // median ratio within rounds: to the loop with DPDK's table
    std::optional<double> of_ceiling; // likewise, to the same arrangement with `fixed`
    std::optional<delay_result> delay;
    std::optional<change_result> changing;
    std::optional<change_result> replacing;
    std::string fault; // reason for the lack of a measurement

    bool has_speed() const noexcept { return wrong == 0 && fault.empty() && !mpps_rounds.empty(); }
};

struct router_report {
    environment circumstances;
    double load = 0; // for `delay`: fraction of the competitor's maximum
    double wanted_changes_per_second = 0;
    unsigned change_burst = 0;
    std::vector<router_row> rows;

    bool all_right() const noexcept {
        for (const router_row& row : rows)
            if (row.wrong != 0 || !row.fault.empty())
                return false;
        return true;
    }
};

// Signs that the machine was busy with other work during the measurement: one sentence for each affected row.
std::vector<std::string> warnings_of(const router_report& report);

std::string to_json(const router_report& report);
// A table for people, with one line for each row. Ends with a newline.
std::string to_text(const router_report& report);

} // namespace fingerpost::bench
