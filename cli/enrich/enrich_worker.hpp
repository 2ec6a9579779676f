// Makes the output of one block of rows: scans it, looks its addresses up in every table, writes the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/enrich/enrich_plan.hpp"
#include "cli/enrich/route_cells.hpp"
#include "cli/enrich/rows/faults.hpp"
#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/scan/scanner.hpp"

namespace fingerpost::cli::enrich {

struct row_counts {
    std::uint64_t rows = 0;       // but for blank ones
    std::uint64_t matched = 0;    // with a match for one of their addresses at least
    std::uint64_t missed = 0;     // with addresses, none of which has a match
    std::uint64_t no_address = 0; // whose field is empty or missing, or that have no address anywhere
    std::uint64_t bad = 0;
    std::uint64_t readable = 0; // in which members, or a regular expression, could be looked for
    std::uint64_t found =
        0; // bit by bit, whether the member was in a row at least, or the expression matched
};

struct enriched_block {
    std::string out;
    std::string file;
    std::uint64_t bytes = 0; // of input
    row_counts counts{};
    block_faults faults{};
    bool has_failed = false; // the rest is not to be done: the first fault says why
};

struct work_choice {
    const scan_choice* scan = nullptr;
    const column_plan* plan = nullptr;
    std::span<const named_table> tables{};
    miss_policy on_miss = miss_policy::empty;
    error_policy on_error = error_policy::null;
    std::size_t cache_bytes = 0; // for the columns of routes that a worker keeps, all tables together
};

// Each thread has its own.
class worker {
  public:
    // What `choice` points to must outlive it.
    explicit worker(const work_choice& choice);

    enriched_block work(const row_block& block);

  private:
    struct group_cells {
        std::size_t table;
        route_cells<ipv4_address> ipv4;
        route_cells<ipv6_address> ipv6;
        std::string missing; // the columns without a match
    };
    struct address_cell {
        std::string name;
    };
    using field_cells = std::vector<std::variant<group_cells, address_cell>>;

    void look_up();
    void write_rows(enriched_block& to);
    bool write_row(const scanned_row& row, enriched_block& to);
    void write_columns(const scanned_row& row, std::string& out);
    void write_group(group_cells& group, const asked_cell& cell, std::string& out) const;
    next_hop match_of(const asked_cell& cell, std::size_t table) const;
    bool has_match(const scanned_row& row) const;
    bool has_address(const scanned_row& row) const;

    work_choice choice_;
    std::unique_ptr<scanner> scanner_;
    scanned_block scanned_;
    std::vector<field_cells> fields_;
    // By table.
    std::vector<std::vector<next_hop>> ipv4_matches_;
    std::vector<std::vector<next_hop>> ipv6_matches_;
};

} // namespace fingerpost::cli::enrich
