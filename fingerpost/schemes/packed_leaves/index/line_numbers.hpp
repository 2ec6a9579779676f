// What trees.cpp and tree_changes.cpp both use of lines and sizes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/packed_leaves/index/lines.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"

namespace fingerpost::packed_leaves {

inline constexpr std::size_t most_children = node_shape::children;

// The offset of line i of those that begin at offset `first`.
constexpr std::uint32_t offset_of(std::uint32_t first, std::size_t i) noexcept {
    return first + static_cast<std::uint32_t>(i * line_store::line);
}
constexpr std::size_t ratio_up(std::size_t a, std::size_t b) noexcept {
    return (a + b - 1) / b;
}

} // namespace fingerpost::packed_leaves
