// Computes the statistics of a table in one pass over its sorted routes.
#include "bench/workloads/table_stats.hpp"

#include <algorithm>
#include <numeric>

namespace fingerpost::bench {
namespace {

template <class A>
std::size_t count_boundaries(std::span<const route<A>> sorted) {
    std::vector<typename A::value_type> firsts{0};
    for (const route<A>& r : sorted) {
        firsts.push_back(r.where.first().value);
        if (r.where.last() != A::last())
            firsts.push_back(static_cast<typename A::value_type>(r.where.last().value + 1));
    }
    std::ranges::sort(firsts);
    return static_cast<std::size_t>(std::ranges::unique(firsts).begin() - firsts.begin());
}

template <class A>
void count_nesting(std::span<const route<A>> sorted, table_stats& stats) {
    std::vector<const route<A>*> open;
    stats.nesting.assign(1, 0);
    for (const route<A>& r : sorted) {
        while (!open.empty() && !open.back()->where.covers(r.where))
            open.pop_back();
        if (!open.empty() && open.back()->hop == r.hop)
            ++stats.heirs;
        open.push_back(&r);
        if (stats.nesting.size() <= open.size())
            stats.nesting.resize(open.size() + 1);
        ++stats.nesting[open.size()];
    }
}

// Routes are sorted by base, so those of one block are neighbours.
template <class A>
block_sizes count_blocks(std::span<const route<A>> sorted, unsigned length) {
    block_sizes result{.length = length};
    const route<A>* previous = nullptr;
    for (const route<A>& r : sorted) {
        if (previous != nullptr && common_length(previous->where.base, r.where.base) >= length)
            ++result.sizes.back();
        else
            result.sizes.push_back(1);
        previous = &r;
    }
    std::ranges::sort(result.sizes, std::ranges::greater{});
    return result;
}

} // namespace

std::uint64_t block_sizes::quantile(unsigned permille) const noexcept {
    if (sizes.empty())
        return 0;
    const std::size_t from_smallest = std::min(sizes.size() * permille / 1000, sizes.size() - 1);
    return sizes[sizes.size() - 1 - from_smallest];
}

double block_sizes::mean() const noexcept {
    const auto sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    return sizes.empty() ? 0.0 : static_cast<double>(sum) / static_cast<double>(sizes.size());
}

double table_stats::boundaries_per_route() const noexcept {
    return routes == 0 ? 0.0 : static_cast<double>(boundaries) / static_cast<double>(routes);
}

double table_stats::mean_nesting() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t depth = 1; depth < nesting.size(); ++depth)
        sum += depth * nesting[depth];
    return routes == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(routes);
}

template <class A>
table_stats measure_table(std::span<const route<A>> sorted, std::span<const unsigned> block_lengths) {
    table_stats stats;
    stats.routes = sorted.size();
    for (const route<A>& r : sorted)
        ++stats.lengths[r.where.length];
    stats.boundaries = count_boundaries(sorted);
    count_nesting(sorted, stats);
    for (const unsigned length : block_lengths)
        stats.blocks.push_back(count_blocks(sorted, length));
    std::vector<std::uint32_t> ids;
    for (const route<A>& r : sorted)
        ids.push_back(r.hop.id);
    std::ranges::sort(ids);
    stats.next_hops = static_cast<std::size_t>(std::ranges::unique(ids).begin() - ids.begin());
    return stats;
}

template table_stats measure_table(std::span<const route<address<32>>>, std::span<const unsigned>);
template table_stats measure_table(std::span<const route<address<128>>>, std::span<const unsigned>);

} // namespace fingerpost::bench
