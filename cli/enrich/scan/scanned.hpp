// The rows of a block before any lookup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/addresses.hpp"
#include "cli/enrich/rows/row_cutter.hpp"
#include "terminal/table/bad_rows.hpp"

namespace fingerpost::cli::enrich {

enum class fault : std::uint8_t {
    no_address, // a field that is not an address
    malformed,  // a row that cannot be read
    too_long,
    taken_name, // a row with a member that has an added name
    no_match,   // only if a missing match is an error
};

// An address field of a row.
struct asked_cell {
    // `either` is an IPv4 address that IPv6 routes may answer for; `mapped` is the same, written in its IPv6
    // form.
    enum class what : std::uint8_t { absent, bad, ipv4, ipv6, either, mapped };
    what kind = what::absent;
    std::uint16_t field = 0;  // index of the named field
    std::uint32_t number = 0; // index among the addresses of its family; for both forms, the IPv4 index
    std::string_view text{};  // original text

    bool has_address() const noexcept { return kind != what::absent && kind != what::bad; }
};

struct scanned_row {
    std::uint32_t begin = 0;
    std::uint32_t insert = 0; // where columns are inserted
    std::uint32_t end = 0;    // after its line end
    std::uint32_t cells = 0;  // index of its first cell
    std::uint32_t cell_count = 0;
    std::uint32_t missing = 0; // number of missing CSV fields, added as empty ones before the columns
    bool is_blank = false;     // passed on unchanged
    bool is_bad = false;
    bool is_readable = true;      // whether columns can be added
    bool is_left_out = false;     // a bad or blank row that is not written
    bool is_frame = false;        // in a JSON document: bytes around rows
    bool is_empty_object = false; // in JSON: no comma before the first member
    std::uint16_t nested = 0;     // in JSON: number of names of scan_choice::nest that exist
};

static_assert(sizeof(scanned_row) == 32, "two to a cache line");

class scanned_block {
  public:
    void begin(const row_block& block);

    void add(scanned_row row) { rows.push_back(row); }
    void ask(const any_address& address, std::string_view text);
    // The number of the IPv6 form of an IPv4 address that has both.
    std::uint32_t second_form(std::uint32_t ipv4_number) const { return second_forms_[ipv4_number]; }
    void ask_nothing() { cells.push_back({.field = field}); }
    // Adds a cell that should be an address but is not.
    void refuse(std::string_view text, std::string reason, std::size_t row_begin);
    // Reports a row that cannot be read.
    void refuse_row(fault kind, std::string_view row, std::string reason, std::size_t row_begin);

    // Ends the run at a row.
    void end_with(std::string_view row, std::string reason, std::size_t row_begin);

    // The error for a row that begins at `row_begin`.
    io::input_error error_at(std::size_t row_begin, std::string_view text, std::string reason) const;

    // Whether tables have IPv6 routes that answer for IPv4 addresses.
    bool has_mapped = false;

    const row_block* block = nullptr;
    std::uint16_t field = 0; // field of the added cells
    std::vector<scanned_row> rows;
    std::vector<asked_cell> cells;
    std::vector<ipv4_address> ipv4;
    std::vector<ipv6_address> ipv6;
    row_faults faults;
    bool is_over = false;       // the only fault ends the run
    std::uint64_t readable = 0; // as in row_counts
    std::uint64_t hits = 0;

  private:
    std::vector<std::uint32_t> second_forms_;
};

} // namespace fingerpost::cli::enrich
