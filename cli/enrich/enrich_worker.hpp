// Produces the output for one block of rows: scans it, looks up its addresses in every table, and writes the
// rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/enrich/enrich_plan.hpp"
#include "cli/enrich/route_cells.hpp"
#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/scan/scanner.hpp"
#include "cli/enrich/select/answer_counts.hpp"
#include "cli/enrich/select/condition.hpp"

namespace fingerpost::cli::enrich {

struct row_counts {
    std::uint64_t rows = 0;       // without blank rows
    std::uint64_t matched = 0;    // rows where at least one address has a match
    std::uint64_t missed = 0;     // rows with addresses but no match
    std::uint64_t no_address = 0; // rows whose field is empty or missing, or without any address
    std::uint64_t bad = 0;
    std::uint64_t selected = 0; // rows that were written
    std::uint64_t readable = 0; // rows that could be searched for members or a regular expression
    // A bit per member, or one for the expression: whether any row had it.
    std::uint64_t hits = 0;
};

// How much of an array in a JSON document was written.
enum class array_state : std::uint8_t { unknown, begun, has_rows };

struct enriched_block {
    std::string out;
    std::string file;
    std::uint64_t bytes = 0; // size of the input
    row_counts counts{};
    row_faults faults{};
    array_state array = array_state::unknown; // at the end of the block; unknown: as before the block
    // Position in `out` of a comma that must be removed if no earlier block wrote a row of the array.
    std::optional<std::size_t> comma{};
    bool has_failed = false; // the run ends here; the first fault has the reason
};

struct work_choice {
    const scan_choice* scan = nullptr;
    const column_plan* plan = nullptr;
    std::span<const named_table> tables{};
    miss_policy on_miss = miss_policy::empty;
    error_policy on_error = error_policy::null;
    line_form form{};            // if not plain, rows are written without the bytes around them
    std::size_t cache_bytes = 0; // limit for cached columns per worker, all tables together
};

// Each thread needs its own.
class worker {
  public:
    // The objects that `choice` points to must outlive it.
    explicit worker(const work_choice& choice);

    enriched_block work(const row_block& block);

    // Adds the counts of column_plan::counted for all blocks so far.
    void sum_counts(value_counts& to) const;

  private:
    struct group_cells {
        std::size_t table;
        route_cells<ipv4_address> ipv4;
        route_cells<ipv6_address> ipv6;
        std::string missing; // columns for an address without a match
    };
    struct address_cell {
        std::string name;
    };
    using field_cells = std::vector<std::variant<group_cells, address_cell>>;

    struct condition_routes {
        met_routes<ipv4_address> ipv4;
        met_routes<ipv6_address> ipv6;
    };

    void look_up();
    void write_rows(enriched_block& to);
    void put_lead(const scanned_row& row, enriched_block& to) const;
    void put_in_form(const scanned_row& row, enriched_block& to);
    bool write_row(const scanned_row& row, enriched_block& to);
    void write_columns(const scanned_row& row, std::string& out);
    void write_lists(std::span<const asked_cell> cells, std::string& out) const;
    void put_element(const asked_cell& cell, const column_group& group, const added_column& column,
                     std::string& list) const;
    void write_group(group_cells& group, const asked_cell& cell, std::string& out) const;
    // The matching route and its family.
    struct cell_match {
        next_hop route = next_hop::none;
        family of = family::ipv4;
        explicit operator bool() const noexcept { return route != next_hop::none; }
    };
    cell_match match_of(const asked_cell& cell, std::size_t table) const;
    cell_match match_of_ipv6(std::uint32_t number, std::size_t table) const;
    cell_match match_of_both(const asked_cell& cell, std::size_t table) const;
    template <class F>
    void with_address(const asked_cell& cell, F use) const;
    bool has_match(const asked_cell& cell) const;
    bool has_match(const scanned_row& row) const;
    bool is_selected(const scanned_row& row, bool missed);
    bool meets(const scanned_row& row, std::size_t number);
    void count(const scanned_row& row);
    bool is_written(const scanned_row& row, bool missed);
    void put_members(const scanned_row& row, std::string& out);
    bool has_address(const scanned_row& row) const;

    work_choice choice_;
    std::unique_ptr<scanner> scanner_;
    scanned_block scanned_;
    std::vector<field_cells> fields_;
    // By table.
    std::vector<std::vector<next_hop>> ipv4_matches_;
    std::vector<std::vector<next_hop>> ipv6_matches_;
    bool adds_nothing_;
    bool has_aliases_ = false; // whether any table has aliases
    bool filters_;             // whether rows are selected by their answers
    bool counts_rows_;
    std::size_t done_ = 0;   // end of the written part of the block
    std::uint64_t line_ = 0; // line of the file at byte `lined_` of the block
    std::size_t lined_ = 0;
    bool writes_lists_; // whether one column holds all answers of a field
    // Text before new members, by the number of names of scan_choice::nest that the row has.
    std::vector<std::string> leads_;
    std::vector<std::vector<condition_routes>> met_; // by condition, by place
    answer_counts counts_;
};

} // namespace fingerpost::cli::enrich
