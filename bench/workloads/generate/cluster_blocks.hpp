// The first step of the clustered model (cluster_shape.hpp): which blocks exist, where they are, and how many
// routes each holds. clustered.cpp then places the routes within the blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workloads/generate/cluster_shape.hpp"
#include "bench/workloads/generate/length_shares.hpp"
#include "fingerpost/base/expected.hpp"

namespace fingerpost::bench {

// `number` is the block's bits, right aligned; `slots` is the number of longer prefixes to place in it.
struct cluster_block {
    std::uint64_t number;
    std::uint64_t slots;
};

// A prefix that is not longer than a block: its `length` bits, right aligned.
struct wide_prefix {
    std::uint64_t number;
    std::uint8_t length;
};

struct block_plan {
    std::vector<cluster_block> blocks;
    std::vector<wide_prefix> wide;
};

// Places every prefix up to the shape's block_length, and reserves room for all longer ones. The error is a
// message about a length with more prefixes than fit.
expected<block_plan, std::string> plan_blocks(const cluster_shape& shape, const length_counts& counts,
                                              std::uint64_t seed);

// Draws a parent for each child, and returns the parents' indices in the order of the children. `children`
// are numbers of routes, largest first. `quotas` are the numbers of routes that the parents should get: a
// parent is drawn in proportion to the rest of its quota. Each gets at most `most`
// children. Requires quotas.size() * most >= children.size().
std::vector<std::uint32_t> deal_to_parents(const std::vector<std::uint64_t>& children,
                                           std::vector<std::uint64_t> quotas, std::uint64_t most,
                                           std::uint64_t seed);

} // namespace fingerpost::bench
