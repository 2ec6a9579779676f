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

// Draws the structure of a lookup as SVG with this many pixels of width.
using structure_drawer = function_ref<std::string(const explained_lookup&, unsigned width)>;

// The page is kept below this size: neighbours that do not fit are left out, and then narrower drawings for
// wider ones. The page says so.
inline constexpr std::size_t most_page_bytes = 400'000;

// `all` is not empty, and its explanations of one family have the same table and schemes. Throws failure in a
// build without zlib, and what `draw` and the neighbourhood throw.
std::string html_page(std::span<const explanation> all, const neighbourhood& around, structure_drawer draw);

} // namespace fingerpost::cli
