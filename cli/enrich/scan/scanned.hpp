// What is known of the rows of a block before anything is looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/addresses.hpp"
#include "cli/enrich/rows/faults.hpp"
#include "cli/enrich/rows/row_cutter.hpp"

namespace fingerpost::cli::enrich {

// One address of a row, or the want of one.
struct asked_cell {
    // `either`: an IPv4 address that IPv6 routes may answer for; `mapped` if it was given so.
    enum class what : std::uint8_t { absent, bad, ipv4, ipv6, either, mapped };
    what kind = what::absent;
    std::uint16_t field = 0;  // of those that were named
    std::uint32_t number = 0; // among the addresses of its family, of IPv4 for both forms
    std::string_view text{};  // as the row has it

    bool has_address() const noexcept { return kind != what::absent && kind != what::bad; }
};

struct scanned_row {
    std::uint32_t begin = 0;
    std::uint32_t insert = 0; // where columns go
    std::uint32_t end = 0;    // after its line end
    std::uint32_t cells = 0;  // the first of them
    std::uint32_t cell_count = 0;
    std::uint32_t missing = 0; // fields of CSV, put in empty before columns
    bool is_blank = false;     // passed on as it is
    bool is_bad = false;
    bool is_readable = true;      // columns can be added
    bool is_left_out = false;     // of a bad row, or of a blank one
    bool is_frame = false;        // of a JSON document: what stands around rows
    bool is_empty_object = false; // of JSON: no comma before the first member
    std::uint16_t nested = 0;     // of JSON: how many names of scan_choice::nest lead to where columns go
};

static_assert(sizeof(scanned_row) == 32, "two to a cache line");

class scanned_block {
  public:
    void begin(const row_block& block);

    void add(scanned_row row) { rows.push_back(row); }
    void ask(const any_address& address, std::string_view text);
    // The IPv6 form of an IPv4 address that has both, by its number.
    std::uint32_t second_form(std::uint32_t ipv4_number) const { return second_forms_[ipv4_number]; }
    void ask_nothing() { cells.push_back({.field = field}); }
    // A cell that should be an address and is none.
    void refuse(std::string_view text, std::string reason, std::size_t row_begin);
    // A row that cannot be read.
    void refuse_row(fault kind, std::string_view row, std::string reason, std::size_t row_begin);

    // Ends the run at a row.
    void end_with(std::string_view row, std::string reason, std::size_t row_begin);

    // For errors: of the row that begins there.
    io::input_error error_at(std::size_t row_begin, std::string_view text, std::string reason) const;

    // Whether tables have IPv6 routes that answer for IPv4 addresses.
    bool has_mapped = false;

    const row_block* block = nullptr;
    std::uint16_t field = 0; // that cells are added for
    std::vector<scanned_row> rows;
    std::vector<asked_cell> cells;
    std::vector<ipv4_address> ipv4;
    std::vector<ipv6_address> ipv6;
    block_faults faults;
    bool is_over = false;       // the only fault ends the run
    std::uint64_t readable = 0; // as of row_counts
    std::uint64_t found = 0;

  private:
    std::vector<std::uint32_t> second_forms_;
};

} // namespace fingerpost::cli::enrich
