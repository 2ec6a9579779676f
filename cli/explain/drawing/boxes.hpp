// One node drawn in full: a frame with its name, the steps that read it, and its contents.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/explain/drawing/forest.hpp"
#include "cli/explain/drawing/shapes/piece.hpp"
#include "cli/explain/node_words.hpp"

namespace fingerpost::cli::drawing {

// At most `width` wide; narrower if it needs less.
piece full_box(const forest& tree, std::size_t index, double width);

// Contents of a node without the frame, at most `width` wide. Edges to children start at its exits.
piece keys_of(const forest& tree, std::size_t index, double width);
piece bitmaps_of(const forest& tree, std::size_t index, double width);
piece slots_of(const forest& tree, std::size_t index, double width);
piece bucket_of(const forest& tree, std::size_t index, double width);

// Attributes and classes of the group of a node.
std::string node_attributes(const forest& tree, std::size_t index);
std::string node_classes(const forest& tree, std::size_t index);
// The tooltip of a node.
std::string node_title(const explained_node& node);

// Small boxes with the numbers of steps from 1, `1-26` for more than some; `at.x` moves past them.
void put_step_numbers(piece& out, const forest& tree, const std::vector<std::size_t>& steps, point& at);
// `5`, or `5, 6` for two steps, `5-9` for several.
std::string step_numbers(const std::vector<std::size_t>& steps);

// Whether a child has answers and no slot of its own in its parent, as the leaves of a node with bitmaps.
bool is_array(const explained_node& parent, const explained_node& child);
std::vector<std::uint64_t> slots_of_children(const forest& tree, std::size_t index);

} // namespace fingerpost::cli::drawing
