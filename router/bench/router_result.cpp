// The result file and the table of the router's benchmark.
#include "router/bench/router_result.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/report/report_parts.hpp"

namespace fingerpost::bench {
namespace {

void write(json_writer& json, const delay_result& of) {
    json.begin_object();
    json.member("load_mpps", of.load_mpps);
    json.member("p50_us", of.p50);
    json.member("p90_us", of.p90);
    json.member("p99_us", of.p99);
    json.member("p99_9_us", of.p99_9);
    json.member("most_us", of.most);
    json.member("lost_percent_least", of.lost_percent_least);
    json.member("lost_percent_median", of.lost_percent_median);
    json.end_object();
}

void write(json_writer& json, const change_result& of) {
    json.begin_object();
    json.member("changes_per_second", of.changes_per_second);
    json.member_if(of.seconds_a_table != 0, "seconds_a_table", of.seconds_a_table);
    write_quartiles(json, "loss_percent", of.loss_percent, true);
    json.key("open");
    write(json, of.open);
    json.end_object();
}

template <class T>
void write_if(json_writer& json, const char* name, const std::optional<T>& of) {
    json.key(name);
    if (of)
        write(json, *of);
    else
        json.null();
}

void write_row(json_writer& json, const router_row& row) {
    json.begin_object();
    json.member("name", row.name);
    json.member("way", row.way);
    json.member("cores", row.cores);
    json.member("in_turn", row.in_turn);
    json.member("family", row.family);
    json.member("table", row.table);
    json.member("routes", row.routes);
    json.member("gateways", row.gateways);
    json.member("workload", row.workload);
    json.member("burst", row.burst);
    json.member("bytes", row.bytes);
    json.member("checked", row.checked);
    json.member("wrong", row.wrong);
    json.member_if(!row.fault.empty(), "fault", row.fault);
    write_quartiles(json, "mpps", row.mpps, row.has_speed());
    json.member("cycles", row.cycles);
    json.member_if(row.of_dpdk.has_value(), "of_dpdk", row.of_dpdk.value_or(0));
    json.member_if(row.of_ceiling.has_value(), "of_ceiling", row.of_ceiling.value_or(0));
    write_if(json, "delay", row.delay);
    write_if(json, "changing", row.changing);
    write_if(json, "replacing", row.replacing);
    json.member("mpps_rounds", row.mpps_rounds);
    json.end_object();
}

// Rounds on a quiet machine differ by a few per cent.
constexpr double widest_spread = 0.25; // between the quartiles, relative to the median
constexpr double most_gain = 5;        // per cent by which rounds with changes may be faster by chance

std::string mpps_text(double mpps) {
    return mpps > 0 && mpps < 0.1 ? fmt::format("{:.2g}", mpps) : fmt::format("{:.2f}", mpps);
}

void add_gain(std::string& to, const char* what, const std::optional<change_result>& of) {
    if (of && of->loss_percent.median < -most_gain)
        to += fmt::format("; {} seems to gain {:.0f} % although it can only lose", what,
                          -of->loss_percent.median);
}

// Doubts about the figures of a row, each preceded by a semicolon.
std::string doubts_of(const router_row& row) {
    std::string doubts;
    const auto still =
        static_cast<std::size_t>(std::count(row.mpps_rounds.begin(), row.mpps_rounds.end(), 0.0));
    if (still != 0)
        doubts += fmt::format("; it forwarded nothing in {} of {} rounds", still, row.mpps_rounds.size());
    if (row.mpps.q3 - row.mpps.q1 > widest_spread * row.mpps.median)
        doubts += fmt::format("; half of its rounds are between {} and {} Mpps", mpps_text(row.mpps.q1),
                              mpps_text(row.mpps.q3));
    add_gain(doubts, "changing", row.changing);
    add_gain(doubts, "replacing", row.replacing);
    return doubts;
}

std::string percent(const std::optional<change_result>& of) {
    return of ? fmt::format("{:.1f}", of->loss_percent.median) : std::string();
}

text_row line_of(const router_row& row) {
    text_row line = {row.name, row.way + (row.in_turn ? " in turn" : ""), row.workload,
                     fmt::format("{}", row.cores)};
    if (!row.has_speed()) {
        line.push_back(row.fault.empty() ? fmt::format("{} packets went to a wrong gateway", row.wrong)
                                         : row.fault);
        line.resize(13);
        return line;
    }
    line.push_back(mpps_text(row.mpps.median));
    line.push_back(fmt::format("{}-{}", mpps_text(row.mpps.q1), mpps_text(row.mpps.q3)));
    line.push_back(row.of_dpdk ? fmt::format("{:.2f}", *row.of_dpdk) : "");
    line.push_back(row.of_ceiling ? fmt::format("{:.2f}", *row.of_ceiling) : "");
    line.push_back(row.of_ceiling ? fmt::format("{:.0f}", 100 * (1 - *row.of_ceiling)) : "");
    line.push_back(row.delay ? fmt::format("{:.1f}", row.delay->p50) : "");
    line.push_back(row.delay ? fmt::format("{:.1f}", row.delay->p99) : "");
    line.push_back(percent(row.changing));
    line.push_back(percent(row.replacing));
    return line;
}

} // namespace

std::vector<std::string> warnings_of(const router_report& report) {
    std::vector<std::string> warnings;
    for (const router_row& row : report.rows)
        if (const std::string doubts = row.has_speed() ? doubts_of(row) : ""; !doubts.empty())
            warnings.push_back(fmt::format("{} {} is not reliable, because something else ran on its cores{}",
                                           row.name, row.way, doubts));
    return warnings;
}

std::string to_json(const router_report& report) {
    return document(report.circumstances, [&](json_writer& json) {
        json.member("load", report.load);
        json.member("wanted_changes_per_second", report.wanted_changes_per_second);
        json.member("change_burst", report.change_burst);
        write_rows(json, "results", report.rows, write_row);
    });
}

std::string to_text(const router_report& report) {
    std::vector<text_row> lines = {{"scheme", "way", "workload", "cores", "Mpps", "quartiles", "of DPDK",
                                    "of ceiling", "lookup %", "p50 us", "p99 us", "changing: lost %",
                                    "replacing: lost %"}};
    for (const router_row& row : report.rows)
        lines.push_back(line_of(row));
    return aligned(lines, 3);
}

} // namespace fingerpost::bench
