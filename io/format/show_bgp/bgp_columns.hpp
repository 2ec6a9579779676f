// Interprets the positions and words of a line of `show ip bgp`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// Where the columns begin in the header line, or end if they are right-aligned.
struct bgp_layout {
    std::size_t network;
    std::size_t next_hop;
    std::size_t metric_end;
    std::size_t preference_end;
    std::size_t weight_end;
};

// Returns nothing if the line is not a header line.
std::optional<bgp_layout> find_bgp_layout(std::string_view line) noexcept;

// The part of a line up to its next hop.
struct bgp_row {
    std::string_view status;  // `*>i`; empty if the line has none
    std::string_view network; // empty if the line has none
    std::size_t rest;         // where the line continues: its next hop or its end
};
// Cuts a line up to its next hop. Returns nothing if a word before the network is not a status. `goes_on`:
// the line may begin with the next hop or the numbers of a path that began on an earlier line.
std::optional<bgp_row> cut_bgp_row(std::string_view line, const bgp_layout& layout, bool goes_on) noexcept;

// The part of a line after the next hop.
struct bgp_numbers {
    std::string_view metric;
    std::string_view preference;
    std::string_view weight;
    std::string_view path; // with the origin code
};
// Reads the part from `at` on. `shift`: number of characters by which the columns are further right than in
// the header line. Returns nothing if a number is in no column, or if there is no weight.
std::optional<bgp_numbers> cut_bgp_numbers(std::string_view line, std::size_t at, const bgp_layout& layout,
                                           std::ptrdiff_t shift) noexcept;

} // namespace fingerpost::io
