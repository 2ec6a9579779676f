// Statistics of the rounds of a benchmark.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::bench {

struct quartiles {
    double q1 = 0;
    double median = 0;
    double q3 = 0;
};

// The value at `share` (0 to 1) of sorted samples, interpolated between its two neighbours (Hyndman and Fan's
// type 7, which numpy and R use); 0 without samples.
inline double quantile(const std::vector<double>& sorted, double share) {
    if (sorted.empty())
        return 0;
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

inline quartiles quartiles_of(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.25), quantile(samples, 0.5), quantile(samples, 0.75)};
}

// The round that represents a case: this share of the rounds took less time. 0 is the fastest round.
struct statistic {
    double share = 0.5;

    // For speeds, for which larger is better.
    double of_speeds(std::vector<double> samples) const {
        std::sort(samples.begin(), samples.end());
        return quantile(samples, 1 - share);
    }
};

// "median", "best" or "quantile:SHARE" with a share from 0 to 1; nullopt for any other text.
std::optional<statistic> parse_statistic(std::string_view text) noexcept;
// The inverse of parse_statistic().
std::string name_of(statistic which);

} // namespace fingerpost::bench
