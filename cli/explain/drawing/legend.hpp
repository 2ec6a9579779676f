// The legend of a drawing.
#pragma once

#include "cli/explain/drawing/shapes/piece.hpp"

namespace fingerpost::cli::drawing {

// The signs that `drawn` has, each with its meaning, in lines of this width; nothing if it has none of them.
piece legend_of(const piece& drawn, double width);

} // namespace fingerpost::cli::drawing
