// Builds the index of packed leaves.
#pragma once

#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/cells/trees.hpp"
#include "fingerpost/schemes/packed_leaves/index.hpp"

namespace fingerpost::packed_leaves {

// Builds over intervals of the 48-bit space and writes their trees. `ends` are the inclusive ends in
// ascending order, the last of them all ones. Throws like tree_store.
index_tables build_index(std::span<const std::uint64_t> ends, std::span<const std::uint32_t> codes,
                         tree_store& trees, std::size_t most_entries = index_tables::most_entries);

} // namespace fingerpost::packed_leaves
