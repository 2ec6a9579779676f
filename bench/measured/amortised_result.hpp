// Results of the experiment `amortised`: the cost of a change by batch size, and of a build by number of
// routes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

struct batch_row {
    std::string scheme;
    std::string policy;
    std::string table;
    std::size_t routes = 0;
    std::size_t batch = 1;
    quartiles us_per_change; // until the whole batch is published
    unsigned rounds = 0;
    std::size_t checked = 0; // answers of this scheme and policy compared with the oracle
    std::size_t wrong = 0;
    bool failed = false;

    bool has_numbers() const noexcept { return wrong == 0 && !failed; }
};

struct rebuild_row {
    std::string scheme;
    std::string table;
    std::size_t routes = 0;
    quartiles ms;
    unsigned builds = 0;
};

struct amortised_results {
    std::vector<batch_row> batches;
    std::vector<rebuild_row> rebuilds;
    std::vector<std::string> notes;
    std::vector<std::string> wrong;
};

struct amortised_report {
    environment circumstances;
    std::vector<batch_row> batches;
    std::vector<rebuild_row> rebuilds;

    bool all_right() const noexcept {
        for (const batch_row& row : batches)
            if (!row.has_numbers())
                return false;
        return true;
    }
};

std::string to_json(const amortised_report& report);

// Two text tables: microseconds per change and milliseconds per build. Ends with a newline.
std::string to_text(const amortised_report& report);

} // namespace fingerpost::bench
