// Reports rows that are counted.
#include "terminal/table/bad_rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string>

#include "terminal/console.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::array address_kinds{"empty",
                                   "ending too early",
                                   "with an unexpected character",
                                   "of a family that the table does not have",
                                   "of neither family",
                                   "with an octet above 255",
                                   "with too few octets",
                                   "with a leading zero",
                                   "with a group of more than four digits",
                                   "with too few or too many groups",
                                   "with '::' twice",
                                   "with too long a prefix",
                                   "with bits past the prefix",
                                   "too long"};
static_assert(address_kinds.size() == too_long_address + 1 && too_long_address < row_faults::most_kinds);

} // namespace

constexpr fault_words address_faults{address_kinds, "{} invalid addresses ({} not shown: {})"};

void bad_rows::add(const row_faults& part) {
    for (const auto& [kind, error] : part.first()) {
        const std::uint64_t before = counts_[kind]++;
        if (before < row_faults::reported_each)
            report(io::message(error));
        if (before == row_faults::reported_each)
            report(fmt::format("{}: further rows {} are not shown", error.file, words_.kinds[kind]));
    }
    for (std::size_t kind = 0; kind < counts_.size(); ++kind)
        counts_[kind] += part.count(kind) - std::min(part.count(kind), row_faults::reported_each + 1);
}

std::uint64_t bad_rows::count() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

void bad_rows::report_rest() const {
    std::uint64_t rest = 0;
    std::string text;
    for (std::size_t kind = 0; kind < words_.kinds.size(); ++kind) {
        if (counts_[kind] <= row_faults::reported_each)
            continue;
        const std::uint64_t unreported = counts_[kind] - row_faults::reported_each;
        rest += unreported;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", unreported, words_.kinds[kind]);
    }
    if (rest != 0)
        report(fmt::format(fmt::runtime(words_.rest), count(), rest, text));
}

} // namespace fingerpost::cli
