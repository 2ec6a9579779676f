// The result file of `lab bench lookup`.
#include "bench/report/report_parts.hpp"

namespace fingerpost::bench {
namespace {

// Rows that were not timed have nulls instead of numbers.
void write_speed(json_writer& json, const lookup_row& row) {
    json.member_if(row.has_speed(), "mlps", row.by_statistic);
    json.member_if(row.has_speed(), "mlps_median", row.mlps.median);
    json.member_if(row.has_speed(), "mlps_q1", row.mlps.q1);
    json.member_if(row.has_speed(), "mlps_q3", row.mlps.q3);
    json.member_if(row.has_speed(), "cycles_median", row.cycles_median);
    json.member_if(row.ratio.has_value(), "ratio", row.ratio.value_or(0));
    json.member("mlps_rounds", row.mlps_rounds);
}

void write_lookup_row(json_writer& json, const lookup_row& row) {
    json.begin_object();
    json.member("scheme", row.scheme);
    json.member("isa", row.isa);
    json.member("family", row.family);
    json.member("table", row.table);
    json.member("next_hops", row.next_hops);
    json.member("routes", row.routes);
    json.member("intervals", row.intervals);
    json.member("workload", row.workload);
    json.member("fits_l1", row.fits_l1);
    json.member("mode", row.mode);
    json.member("batch", row.batch);
    json.member("threads", row.threads);
    json.member("rounds", row.rounds);
    json.member("addresses_per_round", row.addresses_per_round);
    write_speed(json, row);
    json.member("bytes", row.bytes);
    json.member("bytes_per_route",
                row.routes == 0 ? 0.0 : static_cast<double>(row.bytes) / static_cast<double>(row.routes));
    json.member("build_ms_median", row.build_ms_median);
    json.member("builds", row.builds);
    json.member("checked", row.checked);
    json.member("wrong", row.wrong);
    json.end_object();
}

void write_best_other(json_writer& json, const best_other& other) {
    json.begin_object();
    json.member("workload", other.workload);
    json.member("mode", other.mode);
    json.member("threads", other.threads);
    json.member("batch", other.batch);
    json.member("scheme", other.scheme);
    json.member("isa", other.isa);
    json.member("ratio", other.ratio);
    json.end_object();
}

} // namespace

std::string to_json(const lookup_report& report) {
    return document(report.circumstances, [&](json_writer& json) {
        write_rows(json, "results", report.rows, write_lookup_row);
        json.member("default_scheme", report.default_scheme);
        write_rows(json, "best_other", report.others, write_best_other);
    });
}

} // namespace fingerpost::bench
