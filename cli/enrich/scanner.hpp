// Finds the rows of a block and the addresses in them; one class for each kind of rows.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/enrich/csv_rows.hpp"
#include "cli/enrich/json_line.hpp"
#include "cli/enrich/kinds.hpp"
#include "cli/enrich/scanned.hpp"

namespace fingerpost::cli::enrich {

// What tells the addresses of a row.
struct scan_choice {
    row_kind kind = row_kind::lines;
    csv_dialect dialect{};
    std::vector<std::size_t> columns{}; // of CSV, from 0, in the order in which they were named
    std::vector<std::string> names{};   // of these columns or members, for errors
    std::vector<json_path> members{};   // of NDJSON
    log_which which = log_which::first;
    std::string regex{}; // of log lines; empty: an address anywhere
};

// Each thread has its own.
class scanner {
  public:
    virtual ~scanner() = default;
    // Adds all rows of into.block.
    virtual void scan(scanned_block& into) = 0;
};

// `choice` must outlive it. Throws usage_error for a regular expression that is none.
std::unique_ptr<scanner> make_scanner(const scan_choice& choice);

} // namespace fingerpost::cli::enrich
