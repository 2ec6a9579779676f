// Builds the index of packed leaves.
#pragma once

#include <cstdint>
#include <span>

#include "fingerpost/fib/packed_index.hpp"
#include "fingerpost/fib/packed_trees.hpp"

namespace fingerpost {

// Over intervals of the space of 48 bits, whose trees it writes; `ends` are the inclusive ends in ascending
// order, the last of them all ones. Throws as packed_trees does.
packed_index build_index(std::span<const std::uint64_t> ends, std::span<const std::uint32_t> codes,
                         packed_trees& trees, std::size_t most_entries = packed_index::most_entries);

} // namespace fingerpost
