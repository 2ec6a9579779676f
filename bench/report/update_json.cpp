// The result file of `bench update`: `results` has what a reader of one number wants, `details` the rest.
#include <algorithm>

#include "bench/report/parts.hpp"
#include "bench/report/update_result.hpp"

namespace fingerpost::bench {
namespace {

void member(json_writer& json, std::string_view name, bool known, double number) {
    json.key(name);
    if (known)
        json.value(number);
    else
        json.null();
}

void write_names(json_writer& json, const update_row& row) {
    json.member("scheme", row.scheme);
    json.member("policy", row.policy);
    json.member("table", row.table);
    json.member("workload", row.workload);
}

void write_result(json_writer& json, const update_row& row) {
    const bool seen = row.has_numbers() && !row.visible_us.empty();
    const burst_row* const best = row.has_numbers() ? row.best_burst() : nullptr;
    const bool lost = best != nullptr && best->loss_percent;
    json.begin_object();
    write_names(json, row);
    member(json, "visible_us_median", seen, quantile(row.visible_us, 0.5));
    member(json, "visible_us_p99", seen, quantile(row.visible_us, 0.99));
    member(json, "visible_us_max", seen, seen ? row.visible_us.back() : 0);
    member(json, "changes_per_second", best != nullptr,
           best != nullptr ? best->changes_per_second.median : 0);
    member(json, "reader_loss_percent", lost, lost ? best->loss_percent->median : 0);
    json.key("peak_bytes");
    if (row.has_numbers())
        json.value(row.peak_bytes);
    else
        json.null();
    json.end_object();
}

void write_burst(json_writer& json, const burst_row& burst) {
    json.begin_object();
    json.member("burst", burst.burst);
    json.member("changes_per_second", burst.changes_per_second.median);
    json.member("changes_per_second_rounds", burst.rates);
    const bool lost = burst.loss_percent.has_value();
    member(json, "reader_loss_percent", lost, lost ? burst.loss_percent->median : 0);
    member(json, "reader_loss_percent_q1", lost, lost ? burst.loss_percent->q1 : 0);
    member(json, "reader_loss_percent_q3", lost, lost ? burst.loss_percent->q3 : 0);
    json.member("commits", burst.commits);
    json.member("put_off", burst.put_off);
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
    json.member("visible_until", row.seen_by_reader ? "a reader saw it" : "the commit returned");
    json.member("visible_put_off", row.visible_put_off);
    member(json, "reader_mlps", row.reader_mlps.has_value(), row.reader_mlps.value_or(0));
    json.key("bursts");
    json.begin_array();
    if (row.has_numbers())
        for (const burst_row& burst : row.bursts)
            write_burst(json, burst);
    json.end_array();
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
    json_writer json;
    json.begin_object();
    json.key("environment");
    write(json, report.circumstances);
    json.key("results");
    json.begin_array();
    for (const update_row& row : report.rows)
        write_result(json, row);
    json.end_array();
    json.key("details");
    json.begin_array();
    for (const update_row& row : report.rows)
        write_details(json, row);
    json.end_array();
    json.end_object();
    return json.take();
}

} // namespace fingerpost::bench
