// Drawings of lookup structures as SVG, made from their nodes and the steps of a lookup alone, so that every
// scheme has one.
//
// Each node is `<g class="node" data-node="NUMBER">`, each slot, key or bit in it has `data-slot`, each edge
// `data-to` with the number of the node that it leads to. What a step lights is `lit` and has the step,
// counted from 1, in `data-step` and its hue in `--h`: nodes, slots, edges, and the cells of steps that read
// no node. A node has all the steps that read it in `data-steps`. All colours come from drawing_css().
#pragma once

#include <string>
#include <string_view>

#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {

// An `<svg>` element for an HTML page, `width` pixels wide. Narrow ones are laid out otherwise. Texts of the
// table may have any bytes.
std::string structure_svg(const explained_lookup& lookup, double width);

// A document of its own: the address, its bits, and for each scheme the structure and the sentences of the
// steps.
std::string svg_file(const explanation& e);

// The style of both, light and dark by what the reader prefers.
std::string_view drawing_css();

} // namespace fingerpost::cli
