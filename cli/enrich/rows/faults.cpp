// The texts for invalid rows.
#include "cli/enrich/rows/faults.hpp"

#include <fmt/format.h>
#include <numeric>

#include "terminal/console.hpp"

namespace fingerpost::cli::enrich {
namespace {

constexpr std::array fault_words{"with an invalid address", "that cannot be read", "too long",
                                 "that already have an added name", "without a match"};

} // namespace

void fault_report::add(const block_faults& block) {
    std::array reported = counts_;
    for (const auto& [kind, error] : block.reported())
        if (reported[static_cast<std::size_t>(kind)]++ < block_faults::reported_each)
            report(io::message(error));
    // The output must not depend on where blocks end.
    for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
        const bool all_shown = counts_[kind] <= block_faults::reported_each;
        counts_[kind] += block.count(static_cast<fault>(kind));
        if (all_shown && counts_[kind] > block_faults::reported_each)
            report(fmt::format("{}: further rows {} are not shown", block.reported().front().second.file,
                               fault_words[kind]));
    }
}

void fault_report::report_rest() const {
    std::uint64_t rest = 0;
    std::string words;
    for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
        if (counts_[kind] <= block_faults::reported_each)
            continue;
        const std::uint64_t unreported = counts_[kind] - block_faults::reported_each;
        rest += unreported;
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", unreported, fault_words[kind]);
    }
    if (rest != 0)
        report(fmt::format("{} bad rows, {} of them not shown: {}", count(), rest, words));
}

std::uint64_t fault_report::count() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

} // namespace fingerpost::cli::enrich
