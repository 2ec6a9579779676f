// The dynamic program that chooses the levels of a binary search on lengths.
#include "fingerpost/rib/hash_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fingerpost {
namespace {

double cost_of_level(const level_counts& of, unsigned m, unsigned j, bool has_markers) noexcept {
    return of.keys(m, j) + (has_markers ? of.markers(m, j) : 0);
}

// True if a route has this length. Both lists are indexed by cover * (longest + 1) + length.
bool is_used(std::span<const std::uint64_t> routes, unsigned longest, unsigned length) noexcept {
    for (unsigned cover = 0; cover < length; ++cover)
        if (routes[cover * (longest + 1) + length] > 0)
            return true;
    return false;
}

} // namespace

level_counts::level_counts(unsigned longest, std::span<const std::uint64_t> routes,
                           std::span<const std::uint64_t> vertices) {
    const unsigned stride = longest + 1;
    for (longest_ = longest; longest_ > 0 && !is_used(routes, longest, longest_);)
        --longest_;
    const unsigned columns = longest_ + 1;
    keys_.resize(std::size_t{columns} * columns);
    markers_.resize(std::size_t{columns} * columns);
    std::vector<double> routes_below(columns), vertices_below(columns); // with a cover of at most m bits
    for (unsigned m = 0; m < columns; ++m) {
        double keys = 0;
        for (unsigned j = 0; j < columns; ++j) {
            routes_below[j] += static_cast<double>(routes[m * stride + j]);
            vertices_below[j] += static_cast<double>(vertices[m * stride + j]);
            if (j <= m)
                continue;
            keys = 2 * keys + routes_below[j];
            keys_[m * columns + j] = keys;
            markers_[m * columns + j] = vertices_below[j];
        }
    }
}

level_plan cost_of_levels(const level_counts& of, std::span<const std::uint8_t> lengths,
                          bool first_is_array) {
    const auto count = static_cast<unsigned>(lengths.size());
    level_plan plan{.lengths = {lengths.begin(), lengths.end()}, .is_bound = count > 6};
    for (unsigned i = 0, m = 0; i < count; m = lengths[i++]) {
        const bool has_markers = needs_markers(i, count), array = i == 0 && first_is_array;
        const unsigned j = std::min<unsigned>(lengths[i], of.longest());
        if (j <= m)
            continue;
        const double markers = has_markers && !array && j == lengths[i] ? of.markers(m, j) : 0;
        // Beyond the longest route, keys would only be expanded further.
        const double keys = array ? std::exp2(j) : of.keys(m, j);
        plan.keys += keys * std::exp2(lengths[i] - j) + markers;
        plan.markers += markers;
    }
    return plan;
}

std::optional<level_plan> best_levels(const level_counts& of, unsigned levels, unsigned widest_array) {
    const unsigned longest = of.longest();
    constexpr double none = std::numeric_limits<double>::infinity();
    struct cell {
        double cost = none;
        unsigned before = 0;
    };
    // table[i][j]: the best plan with i levels, the last one at length j.
    std::vector<std::vector<cell>> table(levels + 1, std::vector<cell>(longest + 1));
    table[0][0].cost = 0;
    for (unsigned i = 1; i <= levels; ++i)
        for (unsigned j = i; j <= longest; ++j)
            for (unsigned m = i - 1; m < j; ++m) {
                double cost = table[i - 1][m].cost;
                if (i > 1 || widest_array == 0)
                    cost += cost_of_level(of, m, j, needs_markers(i - 1, levels));
                else
                    cost += j <= widest_array ? std::exp2(j) : none;
                if (cost < table[i][j].cost)
                    table[i][j] = {cost, m};
            }
    if (longest == 0 || table[levels][longest].cost == none)
        return std::nullopt;
    std::vector<std::uint8_t> lengths(levels);
    for (unsigned i = levels, j = longest; i > 0; j = table[i--][j].before)
        lengths[i - 1] = static_cast<std::uint8_t>(j);
    return cost_of_levels(of, lengths, widest_array > 0);
}

} // namespace fingerpost
