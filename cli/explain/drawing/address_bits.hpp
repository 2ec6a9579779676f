// The bits of an address, each in the colour of the step that looks at it.
#pragma once

#include "cli/explain/drawing/shapes/piece.hpp"
#include "cli/explain/explanation.hpp"

namespace fingerpost::cli::drawing {

// Bits in groups of the address's text, at most `width` wide; below them a bar for each step that looks at
// more than one bit.
piece address_bits(const explanation& e, const explained_lookup& lookup, double width);

} // namespace fingerpost::cli::drawing
