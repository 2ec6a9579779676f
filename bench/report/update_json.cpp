// Result file of `lab bench update`: `results` has the main numbers, `details` the rest.
#include <algorithm>

#include "bench/measured/update_result.hpp"
#include "bench/report/report_parts.hpp"

namespace fingerpost::bench {
namespace {

void write_names(json_writer& json, const update_row& row) {
    json.member("scheme", row.scheme);
    json.member("policy", row.policy);
    json.member("table", row.table);
    json.member("workload", row.workload);
}

void write_result(json_writer& json, const update_row& row) {
    const bool has_times = row.has_numbers() && !row.visible_us.empty();
    const burst_row* const best = row.has_numbers() ? row.best_burst() : nullptr;
    const bool lost = best != nullptr && best->loss_percent;
    json.begin_object();
    write_names(json, row);
    json.member_if(has_times, "visible_us_median", quantile(row.visible_us, 0.5));
    json.member_if(has_times, "visible_us_p99", quantile(row.visible_us, 0.99));
    json.member_if(has_times, "visible_us_max", has_times ? row.visible_us.back() : 0);
    json.member_if(best != nullptr, "changes_per_second",
                   best != nullptr ? best->changes_per_second.median : 0);
    json.member_if(lost, "reader_loss_percent", lost ? best->loss_percent->median : 0);
    json.member_if(row.has_numbers(), "peak_bytes", row.peak_bytes);
    json.end_object();
}

void write_burst(json_writer& json, const burst_row& burst) {
    json.begin_object();
    json.member("burst", burst.burst);
    json.member("changes_per_second", burst.changes_per_second.median);
    json.member("changes_per_second_rounds", burst.rates);
    const bool lost = burst.loss_percent.has_value();
    json.member_if(lost, "reader_loss_percent", lost ? burst.loss_percent->median : 0);
    json.member_if(lost, "reader_loss_percent_q1", lost ? burst.loss_percent->q1 : 0);
    json.member_if(lost, "reader_loss_percent_q3", lost ? burst.loss_percent->q3 : 0);
    json.member("commits", burst.commits);
    json.member("deferred", burst.deferred);
    json.end_object();
}

void write_details(json_writer& json, const update_row& row) {
    json.begin_object();
    write_names(json, row);
    json.member("routes", row.routes);
    json.member("prefixes", row.prefixes);
    json.member("checked", row.checked);
    json.member("wrong", row.wrong);
    json.member("failed", row.failed);
    json.member("visible_changes", row.visible_us.size());
    json.member("fastest_of", row.turns);
    const bool has_times = row.has_numbers() && !row.fastest_us.empty();
    json.member_if(has_times, "fastest_us_p99", quantile(row.fastest_us, 0.99));
    json.member_if(has_times, "fastest_us_max", has_times ? row.fastest_us.back() : 0);
    json.member("visible_until", row.seen_by_reader ? "a reader saw it" : "the commit returned");
    json.member("visible_put_off", row.visible_put_off);
    json.member_if(row.reader_mlps.has_value(), "reader_mlps", row.reader_mlps.value_or(0));
    json.member_if(row.spinning_loss_percent.has_value(), "spinning_loss_percent",
                   row.spinning_loss_percent.value_or(quartiles{}).median);
    write_rows(json, "bursts", row.has_numbers() ? row.bursts : std::vector<burst_row>(), write_burst);
    json.end_object();
}

} // namespace

const burst_row* update_row::best_burst() const noexcept {
    const auto best = std::max_element(bursts.begin(), bursts.end(), [](const auto& a, const auto& b) {
        return a.changes_per_second.median < b.changes_per_second.median;
    });
    return best == bursts.end() ? nullptr : &*best;
}

std::string to_json(const update_report& report) {
    return document(report.circumstances, [&](json_writer& json) {
        write_rows(json, "results", report.rows, write_result);
        write_rows(json, "details", report.rows, write_details);
    });
}

} // namespace fingerpost::bench
