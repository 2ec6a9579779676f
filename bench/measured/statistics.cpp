// Converts the statistic of a run from and to text.
#include "bench/measured/statistics.hpp"

#include <charconv>
#include <fmt/format.h>

namespace fingerpost::bench {
namespace {

constexpr std::string_view quantile_word = "quantile:";

} // namespace

std::optional<statistic> parse_statistic(std::string_view text) noexcept {
    if (text == "median")
        return statistic{};
    if (text == "best")
        return statistic{0};
    if (!text.starts_with(quantile_word))
        return std::nullopt;
    text.remove_prefix(quantile_word.size());
    statistic read;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), read.share);
    // Comparisons with NaN are false.
    if (fault != std::errc() || end != text.data() + text.size() || !(read.share >= 0 && read.share <= 1))
        return std::nullopt;
    return read;
}

std::string name_of(statistic which) {
    if (which.share == statistic{}.share)
        return "median";
    return which.share == 0 ? "best" : fmt::format("{}{}", quantile_word, which.share);
}

} // namespace fingerpost::bench
