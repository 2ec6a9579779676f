// Scales a measured rank-size curve to any number of clusters and any total.
#include "bench/workloads/generate/size_curve.hpp"

#include <algorithm>

#include "fingerpost/base/bits.hpp"

namespace fingerpost::bench {
namespace {

// Ranks and sizes are fixed point with 12 bits after the point: sizes stay below 2^40 and products below
// 2^64.
constexpr unsigned point = 12;
constexpr std::uint64_t unity = 1ull << point;

std::uint64_t size_at(std::span<const rank_size> curve, std::uint64_t rank) {
    if (rank < unity)
        return curve.front().size *
               integer_root((unity << point) / std::max<std::uint64_t>(rank, 1) << point);
    const auto right = std::ranges::find_if(curve, [&](rank_size p) { return p.rank * unity >= rank; });
    if (right == curve.begin())
        return curve.front().size * unity;
    if (right == curve.end())
        return curve.back().size * unity;
    const rank_size left = *(right - 1);
    const std::uint64_t fall = left.size - right->size;
    return left.size * unity - fall * (rank - left.rank * unity) / (right->rank - left.rank);
}

std::uint64_t scaled(std::uint64_t above_one, std::uint64_t factor, std::uint64_t largest) {
    const u128 size = (static_cast<u128>(above_one) * factor + (u128{1} << (2 * point - 1))) >> (2 * point);
    return 1 + static_cast<std::uint64_t>(std::min<u128>(size, largest - 1));
}

std::uint64_t sum_scaled(const std::vector<std::uint64_t>& shape, std::uint64_t factor,
                         std::uint64_t largest) {
    std::uint64_t sum = 0;
    for (const std::uint64_t above_one : shape)
        sum += scaled(above_one, factor, largest);
    return sum;
}

} // namespace

std::uint64_t integer_root(std::uint64_t x) noexcept {
    std::uint64_t root = 0;
    for (std::uint64_t bit = 1ull << 31; bit != 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= x)
            root += bit;
    return root;
}

std::vector<std::uint64_t> sizes_on_curve(std::span<const rank_size> curve, std::size_t count,
                                          std::uint64_t total, std::uint64_t largest) {
    if (count == 0 || total < count || total > count * largest)
        return {};
    std::vector<std::uint64_t> sizes(count);
    for (std::size_t i = 0; i < count; ++i) {
        // The middle of the i-th of `count` equal parts of the curve's ranks.
        const std::uint64_t rank = (2 * i + 1) * (curve.back().rank * unity / 2) / count + unity / 2;
        sizes[i] = size_at(curve, rank) - unity;
    }
    // The largest factor that does not exceed the total; factors beyond 2^40 change nothing.
    std::uint64_t low = 0;
    std::uint64_t high = 1ull << 40;
    while (low + 1 < high) {
        const std::uint64_t middle = (low + high) / 2;
        (sum_scaled(sizes, middle, largest) <= total ? low : high) = middle;
    }
    std::uint64_t sum = 0;
    for (std::uint64_t& size : sizes)
        sum += size = scaled(size, low, largest);
    // The remainder from rounding goes to the sizes in the middle, one each, where it changes no quantile by
    // much.
    while (sum < total)
        for (std::size_t i = count / 8; i < count + count / 8 && sum < total; ++i)
            if (sizes[i % count] < largest)
                ++sizes[i % count], ++sum;
    std::ranges::sort(sizes, std::ranges::greater{});
    return sizes;
}

} // namespace fingerpost::bench
