// The text table of `lab bench update`: a line for each scheme, policy, workload and burst size.
#include <algorithm>
#include <fmt/format.h>

#include "bench/measured/update_result.hpp"
#include "bench/report/report_parts.hpp"

namespace fingerpost::bench {
namespace {

std::string heading(const update_report& report) {
    const update_row& row = report.rows.front();
    const environment& e = report.circumstances;
    return fmt::format("table {}: {} routes\n"
                       "{}; {} rounds of about {:g} ms a case\n"
                       "us: from the call until {}; slowest change: of each change the fastest of {} turns\n"
                       "changes/s in bursts while readers look up; lost: lookups of these readers\n\n",
                       row.table, row.routes, e.cpu, e.rounds, e.round_ms,
                       row.seen_by_reader ? "a reader on another core sees the change"
                                          : "the commit has returned (no second core)",
                       row.turns);
}

std::string share(std::uint64_t part, std::uint64_t total) {
    return total == 0 ? "-"
                      : fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(total));
}

// Only the first line of a row has the numbers that do not depend on the burst.
text_row first_cells(const update_row& row) {
    text_row cells{row.scheme, row.policy, row.workload};
    for (const double at : {0.5, 0.99, 1.0})
        cells.push_back(row.visible_us.empty() ? "-" : fmt::format("{:.1f}", quantile(row.visible_us, at)));
    cells.push_back(row.fastest_us.empty() ? "-" : fmt::format("{:.1f}", row.fastest_us.back()));
    cells.push_back(fmt::format("{:.1f}", static_cast<double>(row.peak_bytes) * 1e-6));
    return cells;
}

void add_lines(std::vector<text_row>& lines, const update_row& row) {
    if (!row.has_numbers()) {
        lines.push_back({row.scheme, row.policy, row.workload, row.failed ? "FAILED" : "WRONG"});
        lines.back().resize(lines.front().size(), "-");
        return;
    }
    text_row cells = first_cells(row);
    for (const burst_row& burst : row.bursts) {
        text_row line = cells;
        line.push_back(std::to_string(burst.burst));
        line.push_back(fmt::format("{:.0f}", burst.changes_per_second.median));
        line.push_back(burst.loss_percent ? fmt::format("{:.1f}", burst.loss_percent->median) : "-");
        line.push_back(share(burst.deferred, burst.commits));
        lines.push_back(std::move(line));
        cells.assign(cells.size(), "");
    }
}

// The loss that does not result from bursts: the median of the rows' medians.
std::string spinning(const update_report& report) {
    std::vector<double> losses;
    for (const update_row& row : report.rows)
        if (row.has_numbers() && row.spinning_loss_percent)
            losses.push_back(row.spinning_loss_percent->median);
    std::sort(losses.begin(), losses.end());
    return losses.empty() ? ""
                          : fmt::format("lost to a writer that spins and changes nothing: {:.1f} %\n",
                                        quantile(losses, 0.5));
}

} // namespace

std::string to_text(const update_report& report) {
    if (report.rows.empty())
        return "nothing was measured\n";
    std::vector<text_row> lines{{"scheme", "policy", "workload", "us median", "p99", "max", "slowest change",
                                 "peak MB", "burst", "changes/s", "lost %", "put off %"}};
    for (const update_row& row : report.rows)
        add_lines(lines, row);
    return heading(report) + aligned(lines, 3) + spinning(report);
}

} // namespace fingerpost::bench
