// The upper half of the clustered model: which blocks exist, where they are, and how many routes each holds.
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

// Places every prefix up to the block length and reserves room for all longer ones; a sentence if some length
// does not fit.
expected<block_plan, std::string> plan_blocks(const cluster_shape& shape, const length_counts& counts,
                                              std::uint64_t seed);

// Distributes children, largest first, to parents in proportion to their remaining quotas, at most `most` to
// each; returns the parent of every child. Requires quotas.size() * most >= children.size().
std::vector<std::uint32_t> deal_to_parents(const std::vector<std::uint64_t>& children,
                                           std::vector<std::uint64_t> quotas, std::uint64_t most,
                                           std::uint64_t seed);

} // namespace fingerpost::bench
