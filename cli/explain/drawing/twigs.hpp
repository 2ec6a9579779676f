// Nodes drawn small, as a tree: dots, and thumbnails of nodes that hold more. What has no room is counted.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cli/explain/drawing/forest.hpp"
#include "cli/explain/drawing/shapes/piece.hpp"

namespace fingerpost::cli::drawing {

// How much of a tree is drawn. What a step touches is, always.
struct detail {
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    unsigned labels = 3; // 3: prefix and next hop, 2: its length, 1: next hop, 0: none but the answer's
    std::size_t depth = unlimited; // levels below a node that is on the way of the lookup
    std::size_t near = unlimited;  // siblings on each side of such a node
    double between = 5;            // pixels between the nodes of a level
};
// From everything to the way alone, to be tried in this order.
std::span<const detail> details();

// One of the children that are shown, or the count of those that are not.
struct shown_child {
    std::optional<std::size_t> index{};
    std::size_t count = 0;
};
// `missing`: children that the structure does not list.
std::vector<shown_child> shown_children(const forest& tree, std::span<const std::size_t> children,
                                        std::size_t missing, const detail& how);

struct twig {
    piece drawn{};              // exits are not set
    std::vector<double> rows{}; // the tops of the levels
    double first_edge = 0;      // from the top to where the edge from above ends
};

// The tree below a node, itself included. With a parent, the slot stands at its edge.
twig twig_of(const forest& tree, std::size_t index, const detail& how, bool has_parent);
// `+ 37`
twig count_twig(const forest& tree, std::size_t count);

} // namespace fingerpost::cli::drawing
