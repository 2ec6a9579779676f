// The drawing of one structure with its notes and legend.
#pragma once

#include <string>

#include "cli/explain/drawing/forest.hpp"
#include "cli/explain/drawing/shapes/piece.hpp"
#include "cli/explain/explanation.hpp"

namespace fingerpost::cli::drawing {

// The nodes alone, in a drawing of this width, wider only if the way of the lookup itself does not fit: those
// on the way of the lookup in full, below each other, and the others small beside them.
piece laid_out(const forest& tree, double width);

// With the reads outside of nodes, and how many nodes are drawn.
piece structure_piece(const explained_lookup& lookup, double width);

// Summary of the drawing as a sentence.
std::string structure_label(const explained_lookup& lookup);

} // namespace fingerpost::cli::drawing
