// Scales samples to packets, with the sampling error.
#include "router/measure/prefix_hits.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fingerpost::router {
namespace {

constexpr std::chrono::seconds window_length{10};

struct scaled {
    double packets = 0;
    double error = 0;
};

// The number of samples of a prefix is binomial. 1.96 standard deviations contain 95 of 100 cases. With very
// few samples the distribution is too skewed for that; one more sample under the root keeps the error above
// zero.
scaled scale(std::uint64_t count, std::uint64_t counter_error, unsigned one_in) {
    const double sampled = one_in <= 1 ? 0 : 1.96 * std::sqrt(static_cast<double>(count) + 1);
    return {static_cast<double>(count) * one_in, (sampled + static_cast<double>(counter_error)) * one_in};
}

} // namespace

prefix_hits::prefix_hits(unsigned one_in, clock::time_point now) : one_in_(one_in) {
    for (window& part : windows_)
        part.since = now;
}

void prefix_hits::add(const sampled_prefix& where) {
    totals_.add(where);
    windows_[current_].hits.add(where);
}

void prefix_hits::pass(clock::time_point now) {
    if (now - windows_[current_].since < window_length)
        return;
    current_ ^= 1;
    windows_[current_].hits.clear();
    windows_[current_].since = now;
}

std::vector<prefix_estimate> prefix_hits::estimates(clock::time_point now, std::size_t most) const {
    // Before the first change of windows, the other one is empty and began at the same time.
    const auto since = std::min(windows_[0].since, windows_[1].since);
    const double seconds = std::max(std::chrono::duration<double>(now - since).count(), 0.001);
    std::map<sampled_prefix, heavy_hitters<sampled_prefix>::hits> recent;
    for (const window& part : windows_)
        part.hits.each([&](const sampled_prefix& where, const auto& hits) {
            recent[where].count += hits.count;
            recent[where].error += hits.error;
        });
    std::vector<prefix_estimate> result;
    const auto add_estimate = [&](const sampled_prefix& where, std::uint64_t count, std::uint64_t error) {
        const auto of_now = recent.contains(where) ? recent[where] : heavy_hitters<sampled_prefix>::hits{};
        const scaled in_all = scale(count, error, one_in_);
        const scaled lately = scale(of_now.count, of_now.error, one_in_);
        result.push_back(
            {where, lately.packets / seconds, lately.error / seconds, in_all.packets, in_all.error});
    };
    totals_.each(
        [&](const sampled_prefix& where, const auto& hits) { add_estimate(where, hits.count, hits.error); });
    // A new prefix may not have a counter in the totals yet, but its recent hits are known.
    for (const auto& [where, hits] : recent)
        if (!totals_.find(where))
            add_estimate(where, hits.count, hits.error);
    const auto comes_first = [](const prefix_estimate& a, const prefix_estimate& b) {
        return std::pair(a.per_second, a.packets) > std::pair(b.per_second, b.packets);
    };
    const std::size_t count = std::min(most, result.size());
    std::partial_sort(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(count), result.end(),
                      comes_first);
    result.resize(count);
    return result;
}

} // namespace fingerpost::router
