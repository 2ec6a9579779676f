// Reports rows that are counted.
#include "terminal/table/bad_rows.hpp"

#include <fmt/format.h>
#include <numeric>

#include "terminal/console.hpp"

namespace fingerpost::cli {
namespace {

// Indexed by text_fault, followed by rows that are too long.
constexpr std::array kinds{"empty",
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

} // namespace

void bad_rows::add(std::size_t kind, const io::input_error& error) {
    static_assert(kinds.size() == std::tuple_size_v<decltype(counts_)>);
    const std::uint64_t before = counts_[kind]++;
    if (before < reported_each)
        report(io::message(error));
    if (before == reported_each)
        report(fmt::format("{}: further rows {} are not shown", error.file, kinds[kind]));
}

std::uint64_t bad_rows::count() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

void bad_rows::report_rest() const {
    std::uint64_t rest = 0;
    std::string text;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        if (counts_[kind] <= reported_each)
            continue;
        rest += counts_[kind] - reported_each;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts_[kind] - reported_each, kinds[kind]);
    }
    if (rest != 0)
        report(fmt::format("{} invalid addresses ({} not shown: {})", count(), rest, text));
}

} // namespace fingerpost::cli
