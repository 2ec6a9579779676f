// Counts as rows of text with bars.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace fingerpost::cli {

inline double ratio(std::uint64_t amount, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(amount) / static_cast<double>(whole);
}

inline std::string bar(std::uint64_t count, std::uint64_t largest) {
    constexpr std::uint64_t width = 40;
    return std::string(static_cast<std::size_t>((count * width + largest - 1) / largest), '#');
}

// Each row has a number, its count, its share and a bar. Rows with a count of zero are left out.
template <class Counts>
std::string histogram(std::string_view label, std::string_view mark, const Counts& counts,
                      std::uint64_t whole) {
    std::string out;
    std::uint64_t largest = 1;
    for (const std::uint64_t count : counts)
        largest = std::max(largest, count);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0)
            continue;
        out += fmt::format("{:<11} {:>4} {:>10} {:>6.2f} %  {}\n", std::exchange(label, ""),
                           fmt::format("{}{}", mark, i), counts[i], 100 * ratio(counts[i], whole),
                           bar(counts[i], largest));
    }
    return out;
}

} // namespace fingerpost::cli
