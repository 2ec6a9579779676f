// Writes the messages about damage.
#include "terminal/table/damage_report.hpp"

#include <fmt/format.h>

#include "terminal/console.hpp"

namespace fingerpost::cli {

void damage_report::add(const io::mrt::damage& where) {
    const std::uint64_t before = counts_[where.reason]++;
    if (before < reported_each)
        report(
            fmt::format("{}: byte {}: {} bytes skipped: {}", file_, where.offset, where.size, where.reason));
    if (before == reported_each)
        report(fmt::format("{}: further messages of this kind are not shown: {}", file_, where.reason));
}

void damage_report::report_sum(std::uint64_t count, std::uint64_t bytes) const {
    if (count != 0)
        report(fmt::format("{}: {} damaged {}, {} bytes skipped", file_, count,
                           count == 1 ? "record" : "records", bytes));
}

} // namespace fingerpost::cli
