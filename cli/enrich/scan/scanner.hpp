// The interface of scanners, which find the rows of a block and their addresses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/rows/json_line.hpp"
#include "cli/enrich/scan/scanned.hpp"

namespace fingerpost::cli::enrich {

// Where the addresses of a row are.
struct scan_choice {
    row_kind kind = row_kind::lines;
    csv_dialect dialect{};
    std::vector<std::size_t> columns{}; // of CSV, from 0, in the order of the options
    std::size_t width = 0;              // number of columns in the header or first row of CSV
    bool has_header = true;
    std::string name_line{};          // of a header in comments; then lines that begin with # are not rows
    std::vector<std::string> names{}; // names of these columns or members in messages
    std::vector<json_path> members{}; // for NDJSON
    which_address which = which_address::first;
    std::string regex{}; // for log lines; empty: any address
    // Added names that rows must not have yet: members of NDJSON, and `name=` in log lines.
    std::vector<std::string> added{};
    std::vector<std::string> nest{}; // for NDJSON: the objects around added members, outermost first
};

// Each thread needs its own.
class scanner {
  public:
    virtual ~scanner() = default;
    // Adds all rows of into.block.
    virtual void scan(scanned_block& into) = 0;
};

} // namespace fingerpost::cli::enrich
