// The text table of `lab bench lookup`.
#include <algorithm>
#include <fmt/format.h>

#include "bench/report/report_parts.hpp"

namespace fingerpost::bench {
namespace {

std::vector<std::string> workloads_of(const std::vector<lookup_row>& rows) {
    std::vector<std::string> names;
    for (const lookup_row& row : rows)
        if (std::find(names.begin(), names.end(), row.workload) == names.end())
            names.push_back(row.workload);
    return names;
}

// Title of a workload's column.
std::string title_of(const std::string& workload, const std::vector<lookup_row>& rows) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const lookup_row& r) { return r.workload == workload; });
    return row->fits_l1 ? workload + " (L1)" : workload;
}

// Rows that differ only in their workload share a line.
bool same_line(const lookup_row& a, const lookup_row& b) {
    return a.scheme == b.scheme && a.isa == b.isa && a.mode == b.mode && a.threads == b.threads &&
           a.batch == b.batch;
}

std::string cell_of(const lookup_row& row) {
    if (row.wrong != 0)
        return "WRONG";
    if (!row.has_speed())
        return "-";
    std::string cell = fmt::format("{:.1f} ({:.1f}-{:.1f})", row.by_statistic, row.mlps.q1, row.mlps.q3);
    if (row.ratio)
        cell += fmt::format(" {:>5.2f}x", *row.ratio);
    return cell;
}

std::string heading(const lookup_report& report) {
    const lookup_row& row = report.rows.front();
    const environment& e = report.circumstances;
    std::string text = fmt::format("IPv{} table {}: {} routes, {} intervals, next hops {}\n"
                                   "{}; {} rounds of about {:g} ms a case, {} addresses a trace\n"
                                   "Million lookups a second: {} (quartiles)",
                                   row.family, row.table, row.routes, row.intervals, row.next_hops,
                                   e.gpu ? e.gpu->name + ", " + e.cpu : e.cpu, e.rounds, e.round_ms,
                                   e.addresses, e.statistic);
    const bool ratios = std::any_of(report.rows.begin(), report.rows.end(),
                                    [](const auto& r) { return r.ratio.has_value(); });
    if (ratios)
        text += fmt::format(" and ratio to {}{}", e.gpu ? "" : "the best of ", e.baseline);
    if (std::any_of(report.rows.begin(), report.rows.end(), [](const auto& r) { return r.fits_l1; }))
        text += "; columns marked L1 fit that cache";
    return text + "\n\n";
}

// The comparison below the table: the default scheme and the fastest other one.
std::string comparison(const lookup_report& report, const std::vector<std::string>& workloads) {
    if (report.others.empty())
        return {};
    std::vector<text_row> lines{{"mode", "threads", "batch"}};
    for (const std::string& name : workloads)
        lines.front().push_back(title_of(name, report.rows));
    std::vector<const best_other*> of_line;
    for (const best_other& best : report.others) {
        const auto cell = std::find_if(of_line.begin(), of_line.end(), [&](const best_other* other) {
            return other->mode == best.mode && other->threads == best.threads && other->batch == best.batch;
        });
        const auto line = static_cast<std::size_t>(cell - of_line.begin()) + 1;
        if (cell == of_line.end()) {
            of_line.push_back(&best);
            lines.push_back({best.mode, std::to_string(best.threads), std::to_string(best.batch)});
            lines.back().resize(lines.front().size(), "-");
        }
        const auto column = std::find(workloads.begin(), workloads.end(), best.workload) - workloads.begin();
        lines[line][3 + static_cast<std::size_t>(column)] = fmt::format("{:.2f} {}", best.ratio, best.scheme);
    }
    return fmt::format(
        "\nBest other / {}: the speed of the fastest other scheme, divided by that of {} in the same "
        "call; above 1 the other one is faster\n\n{}",
        report.default_scheme, report.default_scheme, aligned(lines, 1));
}

} // namespace

std::string to_text(const lookup_report& report) {
    if (report.rows.empty())
        return "nothing was measured\n";
    const std::vector<std::string> names = workloads_of(report.rows);
    std::vector<text_row> lines{{"scheme", "isa", "mode", "threads", "batch", "MB", "build ms"}};
    for (const std::string& name : names)
        lines.front().push_back(title_of(name, report.rows));
    std::vector<const lookup_row*> of_line;
    for (const lookup_row& row : report.rows) {
        const auto first = std::find_if(of_line.begin(), of_line.end(),
                                        [&](const lookup_row* other) { return same_line(*other, row); });
        const auto line = static_cast<std::size_t>(first - of_line.begin()) + 1;
        if (first == of_line.end()) {
            of_line.push_back(&row);
            lines.push_back({row.scheme, row.isa, row.mode, std::to_string(row.threads),
                             std::to_string(row.batch),
                             fmt::format("{:.2f}", static_cast<double>(row.bytes) * 1e-6),
                             fmt::format("{:.1f}", row.build_ms_median)});
            lines.back().resize(lines.front().size(), "-");
        }
        const auto column = std::find(names.begin(), names.end(), row.workload) - names.begin();
        lines[line][lines.front().size() - names.size() + static_cast<std::size_t>(column)] = cell_of(row);
    }
    return heading(report) + aligned(lines, 3) + comparison(report, names);
}

} // namespace fingerpost::bench
