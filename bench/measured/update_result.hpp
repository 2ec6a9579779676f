// The results of the update benchmark: one row for each scheme, policy and workload, and the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

// The results of a table with bursts of one size.
struct burst_row {
    std::size_t burst = 1;        // changes requested in a transaction
    quartiles changes_per_second; // prefixes whose next hop has changed
    std::vector<double> rates;    // one for each round, in their order
    std::optional<quartiles> loss_percent;
    std::uint64_t commits = 0;
    std::uint64_t deferred = 0; // commits that could not be published at once
};

// A row with wrong answers or failed changes has no numbers.
struct update_row {
    std::string scheme;
    std::string policy;
    std::string table;
    std::size_t routes = 0;
    std::string workload;
    std::size_t prefixes = 0;       // that the workload affects
    std::size_t singles = 0;        // changes made one at a time, visible or not
    std::vector<double> visible_us; // ascending
    unsigned turns = 1;             // in which these changes were made
    std::vector<double> fastest_us; // of all turns, in the form of visible_us
    bool seen_by_reader = true;     // if false: until the commit returned
    std::uint64_t visible_put_off = 0;
    std::vector<burst_row> bursts;
    std::optional<double> reader_mlps; // all readers together, while nothing changes
    // The readers' loss while the writer spins and changes nothing: the machine's part of a burst's loss.
    std::optional<quartiles> spinning_loss_percent;
    std::size_t peak_bytes = 0;
    std::size_t checked = 0; // answers compared with the oracle
    std::size_t wrong = 0;
    bool failed = false;

    bool has_numbers() const noexcept { return wrong == 0 && !failed; }
    // The one with the most changes a second; nullptr without any.
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

// For people: one line for each scheme, policy and workload. Ends with a newline.
std::string to_text(const update_report& report);

} // namespace fingerpost::bench
