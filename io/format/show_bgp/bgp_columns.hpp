// What the places and words of a line of show ip bgp mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// Where the columns begin, or end if they are right aligned, in the header line.
struct bgp_layout {
    std::size_t network;
    std::size_t next_hop;
    std::size_t metric_end;
    std::size_t preference_end;
    std::size_t weight_end;
};

// Nothing if the line is no header line.
std::optional<bgp_layout> find_bgp_layout(std::string_view line) noexcept;

// A line up to its next hop.
struct bgp_row {
    std::string_view status;  // `*>i`; empty if the line has none
    std::string_view network; // empty if the line has none
    std::size_t rest;         // where the line goes on after these two: the next hop; or its end
};
// Nothing if the line has a word in front of the network that is no status. `goes_on`: the line may begin
// with the next hop or the numbers of a path that an earlier line has begun.
std::optional<bgp_row> cut_bgp_row(std::string_view line, const bgp_layout& layout, bool goes_on) noexcept;

// What follows the next hop.
struct bgp_numbers {
    std::string_view metric;
    std::string_view preference;
    std::string_view weight;
    std::string_view path; // with the code of its origin
};
// Reads them from `at` on. `shift`: so many places further right than in the header line the columns are.
// Nothing if a number is in no column, or if there is no weight.
std::optional<bgp_numbers> cut_bgp_numbers(std::string_view line, std::size_t at, const bgp_layout& layout,
                                           std::ptrdiff_t shift) noexcept;

} // namespace fingerpost::io
