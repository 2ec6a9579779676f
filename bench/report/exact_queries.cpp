// Result file and text table of the experiment `queries`.
#include <fmt/format.h>
#include <numeric>

#include "bench/measured/exact_queries_result.hpp"
#include "bench/report/report_parts.hpp"

namespace fingerpost::bench {
namespace {

double mean(const std::vector<double>& of) {
    return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
}

void write_query_row(json_writer& json, const query_row& row) {
    const bool known = row.has_numbers();
    json.begin_object();
    json.member("scheme", row.scheme);
    json.member("policy", row.policy);
    json.member("table", row.table);
    json.member("routes", row.routes);
    json.member("query", row.query);
    json.member("threads", row.threads);
    json.member("changes", row.us.size());
    json.member_if(known, "us_mean", known ? mean(row.us) : 0);
    json.member_if(known, "us_median", known ? quantile(row.us, 0.5) : 0);
    json.member_if(known, "us_p99", known ? quantile(row.us, 0.99) : 0);
    json.member_if(known, "us_max", known ? row.us.back() : 0);
    json.member("queries_per_second", row.queries_per_second);
    json.member("checked", row.checked);
    json.member("wrong", row.wrong);
    json.member("failed", row.failed);
    json.end_object();
}

text_row cells_of(const query_row& row) {
    text_row cells{row.scheme, row.policy, row.query};
    if (!row.has_numbers()) {
        cells.push_back(row.failed ? "FAILED" : "WRONG");
        return cells;
    }
    cells.push_back(std::to_string(row.us.size()));
    for (const double us : {mean(row.us), quantile(row.us, 0.5), quantile(row.us, 0.99), row.us.back()})
        cells.push_back(fmt::format("{:.1f}", us));
    cells.push_back(row.threads == 0 ? "-" : fmt::format("{:.0f}", row.queries_per_second));
    return cells;
}

} // namespace

std::string to_json(const query_report& report) {
    return document(report.circumstances,
                    [&](json_writer& json) { write_rows(json, "queries", report.rows, write_query_row); });
}

std::string to_text(const query_report& report) {
    if (report.rows.empty())
        return "nothing was measured\n";
    std::vector<text_row> lines{
        {"scheme", "policy", "query", "changes", "us mean", "median", "p99", "max", "queries/s"}};
    unsigned threads = 0;
    for (const query_row& row : report.rows) {
        lines.push_back(cells_of(row));
        lines.back().resize(lines.front().size(), "-");
        threads = std::max(threads, row.threads);
    }
    const query_row& first = report.rows.front();
    return fmt::format(
        "table {}: {} routes; {}\nMicroseconds per change until its commit returns, while {} threads "
        "ask: match, one address; walk, all routes\n\n{}",
        first.table, first.routes, report.circumstances.cpu, threads, aligned(lines, 3));
}

} // namespace fingerpost::bench
