// Builds the index of packed leaves.
#pragma once

#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/cells/trees.hpp"
#include "fingerpost/schemes/packed_leaves/index.hpp"

namespace fingerpost::packed_leaves {

// Builds the index for intervals of the 48-bit space and writes their trees. `ends` are the inclusive ends in
// ascending order; the last one is all ones. Throws like tree_store.
index_tables build_index(std::span<const std::uint64_t> ends, std::span<const std::uint32_t> codes,
                         tree_store& trees, std::size_t most_entries = index_tables::most_entries);

} // namespace fingerpost::packed_leaves
