// Results of the update benchmark: a row for each scheme, policy and workload, and the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

// Results of a table with bursts of one size.
struct burst_row {
    std::size_t burst = 1;        // changes per transaction
    quartiles changes_per_second; // prefixes whose next hop has changed
    std::vector<double> rates;    // by round
    std::optional<quartiles> loss_percent;
    std::uint64_t commits = 0;
    std::uint64_t deferred = 0; // commits that could not be published immediately
};

// A row with wrong answers or failed changes has no numbers.
struct update_row {
    std::string scheme;
    std::string policy;
    std::string table;
    std::size_t routes = 0;
    std::string workload;
    std::size_t prefixes = 0;       // prefixes that the workload affects
    std::size_t singles = 0;        // changes made one at a time, visible or not
    std::vector<double> visible_us; // ascending
    unsigned turns = 1;             // repetitions of these changes
    std::vector<double> fastest_us; // fastest times of all turns, ascending
    bool seen_by_reader = true;     // if false: until the commit returned
    std::uint64_t visible_put_off = 0;
    std::vector<burst_row> bursts;
    std::optional<double> reader_mlps; // all readers together, while nothing changes
    // The readers' loss while the writer spins without changes: the machine's part of the loss in a burst.
    std::optional<quartiles> spinning_loss_percent;
    std::size_t peak_bytes = 0;
    std::size_t checked = 0; // answers compared with the oracle
    std::size_t wrong = 0;
    bool failed = false;

    bool has_numbers() const noexcept { return wrong == 0 && !failed; }
    // The burst with the most changes per second, or nullptr.
    const burst_row* best_burst() const noexcept;
};

struct update_report {
    environment circumstances;
    std::vector<update_row> rows;

    bool all_right() const noexcept {
        for (const update_row& row : rows)
            if (!row.has_numbers())
                return false;
        return true;
    }
};

std::string to_json(const update_report& report);

// A text table with a line for each scheme, policy and workload. Ends with a newline.
std::string to_text(const update_report& report);

} // namespace fingerpost::bench
