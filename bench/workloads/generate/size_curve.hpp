// Heavy-tailed cluster sizes from a measured curve, so that the largest size is not random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fingerpost::bench {

// The rank-th largest cluster of a measured table has this size. A curve starts at rank 1, its ranks
// increase, its sizes do not, and its last rank is the number of clusters that the table had.
struct rank_size {
    std::uint32_t rank;
    std::uint32_t size;
};

// `count` sizes of 1 to `largest`, in descending order, that add up to `total`; empty if that is impossible.
//
// The curve is read at `count` evenly spaced ranks, and the part above 1 is scaled to fit the total: between
// the real tables of 20k, 105k and 160k routes this predicts the quantiles of routes of a /32 within 20 %.
// Ranks past the curve's head, which larger tables have, grow with the root of their rarity.
std::vector<std::uint64_t> sizes_on_curve(std::span<const rank_size> curve, std::size_t count,
                                          std::uint64_t total, std::uint64_t largest);

// The largest integer whose square is not above x.
std::uint64_t integer_root(std::uint64_t x) noexcept;

} // namespace fingerpost::bench
