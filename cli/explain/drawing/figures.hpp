// One node drawn small: a dot, or a thumbnail of what it holds.
#pragma once

#include <cstddef>
#include <string>

#include "cli/explain/drawing/forest.hpp"
#include "cli/explain/drawing/shapes/piece.hpp"

namespace fingerpost::cli::drawing {

// Its axis, where edges begin and end, is at x = 0.
struct figure {
    piece drawn{};
    double left = 0; // how far it reaches on both sides of the axis; positive
    double right = 0;
    double height = 0;
    double entry = 0; // where the edge from above ends, from its top
    double exit = 0;  // and where those to children begin
};

// `labels`: see detail. `digits`: what stands at the edge that leads here; may be empty.
figure figure_of(const forest& tree, std::size_t index, unsigned labels, const std::string& digits);
figure count_figure(std::size_t count);

// Label of the edge from a node to a child: the slot, in binary if there are few.
std::string edge_digits(const explained_node& parent, const explained_node& child);

} // namespace fingerpost::cli::drawing
