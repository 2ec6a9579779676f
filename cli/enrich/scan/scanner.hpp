// What all scanners are: a scanner finds the rows of a block and the addresses in them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/rows/json_line.hpp"
#include "cli/enrich/scan/scanned.hpp"

namespace fingerpost::cli::enrich {

// What tells the addresses of a row.
struct scan_choice {
    row_kind kind = row_kind::lines;
    csv_dialect dialect{};
    std::vector<std::size_t> columns{}; // of CSV, from 0, in the order in which they were named
    std::size_t width = 0;              // how many columns the header or the first row of CSV has
    bool has_header = true;
    std::string name_line{};          // of a header in comments; lines that begin with # are no rows then
    std::vector<std::string> names{}; // of these columns or members, for errors
    std::vector<json_path> members{}; // of NDJSON
    which_address which = which_address::first;
    std::string regex{}; // of log lines; empty: an address anywhere
    // Added names that no row may have already: of NDJSON, and as `name=` of log lines.
    std::vector<std::string> added{};
    std::vector<std::string> nest{}; // of NDJSON: the objects in which members are added, inwards
};

// Each thread has its own.
class scanner {
  public:
    virtual ~scanner() = default;
    // Adds all rows of into.block.
    virtual void scan(scanned_block& into) = 0;
};

} // namespace fingerpost::cli::enrich
