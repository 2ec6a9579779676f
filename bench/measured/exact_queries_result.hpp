// Results of the experiment `queries`: the cost of a change while other threads make exact queries.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

struct query_row {
    std::string scheme;
    std::string policy;
    std::string table;
    std::size_t routes = 0;
    std::string query;        // none, match or walk
    unsigned threads = 0;     // threads that query
    std::vector<double> us{}; // time of each change until its commit returned, ascending
    double queries_per_second = 0;
    std::size_t checked = 0; // answers compared with the oracle afterwards
    std::size_t wrong = 0;
    bool failed = false;

    bool has_numbers() const noexcept { return wrong == 0 && !failed && !us.empty(); }
};

struct query_report {
    environment circumstances;
    std::vector<query_row> rows;

    bool all_right() const noexcept {
        for (const query_row& row : rows)
            if (!row.has_numbers())
                return false;
        return true;
    }
};

std::string to_json(const query_report& report);

// A text table with a line for each scheme, policy and query. Ends with a newline.
std::string to_text(const query_report& report);

} // namespace fingerpost::bench
