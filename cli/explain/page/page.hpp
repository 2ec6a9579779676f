// The page that explains lookups: one HTML file with style, script and data, which asks for nothing else.
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
    // What explains the address of the first explanation with the changed table.
    function_ref<explanation(std::size_t change)> explain;
};

// The page is kept below this size: neighbours that do not fit are left out, and then narrower drawings for
// wider ones. The page says so.
inline constexpr std::size_t most_page_bytes = 400'000;

// `all` is not empty; its explanations have their tables, and those of one family the same table and schemes.
// Without `around`, the table cannot be changed in the page. Throws failure in a build without zlib, and what
// the neighbourhood throws.
std::string html_page(std::span<const explanation> all, const neighbourhood* around = nullptr);

} // namespace fingerpost::cli
