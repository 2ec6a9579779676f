// Statistics of a table: lengths, boundaries, nesting, routes per block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost::bench {

// Routes are counted in the block of this length where they start, so a wider route counts once; sizes
// descend.
struct block_sizes {
    unsigned length = 0;
    std::vector<std::uint64_t> sizes{};

    std::size_t blocks() const noexcept { return sizes.size(); }
    // The size that `permille` of the blocks do not exceed, 1000 for the largest; 0 without blocks.
    std::uint64_t quantile(unsigned permille) const noexcept;
    // Means are for display and for tests with a tolerance.
    double mean() const noexcept;
};

struct table_stats {
    std::size_t routes = 0;
    std::array<std::uint64_t, 129> lengths{};
    // First addresses of elementary intervals before equal neighbours merge, including the first address of
    // the space.
    std::size_t boundaries = 0;
    // nesting[d] routes have d - 1 covers; index 0 is unused.
    std::vector<std::uint64_t> nesting{};
    std::vector<block_sizes> blocks{};
    std::size_t next_hops = 0;
    std::size_t heirs = 0; // routes with the next hop of their nearest cover

    double boundaries_per_route() const noexcept;
    double mean_nesting() const noexcept;
    std::size_t deepest() const noexcept { return nesting.empty() ? 0 : nesting.size() - 1; }
    std::size_t covered() const noexcept { return nesting.size() < 2 ? 0 : routes - nesting[1]; }
};

// `sorted`: canonical routes in prefix order, each prefix once. Blocks are counted at these lengths.
template <class A>
table_stats measure_table(std::span<const route<A>> sorted, std::span<const unsigned> block_lengths);

} // namespace fingerpost::bench
