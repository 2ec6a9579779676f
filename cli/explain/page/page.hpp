// The page that explains lookups: one HTML file with style, script and data, which loads nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cli/explain/explanation.hpp"
#include "fingerpost/base/function_ref.hpp"

namespace fingerpost::cli {

// A table one route away from that of the first explanation.
struct neighbour {
    std::string prefix{};
    std::string next_hop{}; // of a route that is added
    bool is_added = false;  // or else taken out
};
struct neighbourhood {
    std::span<const neighbour> changes{};
    // Explains the first address with the changed table.
    function_ref<explanation(std::size_t change)> explain;
};

// Limit of the page. Neighbours that do not fit are left out, then wide drawings, and the page mentions it.
inline constexpr std::size_t most_page_bytes = 400'000;

// `all` is not empty; its explanations have their tables, and those of one family the same table and schemes.
// Without `around`, the table cannot be changed in the page. Throws failure in a build without zlib, and what
// the neighbourhood throws.
std::string html_page(std::span<const explanation> explanations, const neighbourhood* around = nullptr);

} // namespace fingerpost::cli
