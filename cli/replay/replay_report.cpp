// Texts and numbers that summarize a replay.
#include "cli/replay/replay_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fingerpost::cli {
namespace {

using json = nlohmann::ordered_json;

double a_second(std::uint64_t count, double seconds) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
}
double microseconds(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) * 1e-3;
}

// Chooses the unit with the fewest digits.
std::string duration(std::uint64_t nanoseconds) {
    const double value = microseconds(nanoseconds);
    if (value < 1e3)
        return fmt::format("{:.1f} us", value);
    if (value < 1e6)
        return fmt::format("{:.1f} ms", value * 1e-3);
    return fmt::format("{:.2f} s", value * 1e-6);
}

std::string total_text(const replay_statistics& statistics) {
    const replay_counts& c = statistics.counts;
    std::string out;
    const auto row = [&out](const char* name, const std::string& value) {
        out += fmt::format("{:<18} {}\n", name, value);
    };
    row("updates", fmt::format("{}", c.updates()));
    row("announced", fmt::format("{}", c.announced));
    row("withdrawn", fmt::format("{}", c.withdrawn));
    row("unchanged", fmt::format("{}", c.updates() - c.changes));
    row("changes", fmt::format("{}", c.changes));
    row("commits", fmt::format("{}", c.commits));
    row("seconds", fmt::format("{:.3f}", statistics.seconds));
    row("changes a second", fmt::format("{:.0f}", a_second(c.changes, statistics.seconds)));
    row("time to visible",
        fmt::format("median {}, p99 {}, max {}", duration(statistics.visible.quantile(0.5)),
                    duration(statistics.visible.quantile(0.99)), duration(statistics.visible.largest())));
    row("routes", fmt::format("{} IPv4, {} IPv6", statistics.ipv4_routes, statistics.ipv6_routes));
    if (statistics.damaged_records != 0)
        row("damaged records", fmt::format("{}", statistics.damaged_records));
    if (statistics.bad_lines != 0)
        row("bad lines", fmt::format("{}", statistics.bad_lines));
    if (!statistics.most_changed.empty())
        out += "changed most\n";
    std::size_t width = 0;
    for (const changed_prefix& p : statistics.most_changed)
        width = std::max(width, p.prefix.size());
    for (const changed_prefix& p : statistics.most_changed)
        out += fmt::format("  {:<{}}  {}\n", p.prefix, width, p.changes);
    return out;
}

json common(const char* event, const replay_counts& c, double seconds) {
    return {{"event", event},
            {"seconds", seconds},
            {"updates", c.updates()},
            {"announced", c.announced},
            {"withdrawn", c.withdrawn},
            {"unchanged", c.updates() - c.changes},
            {"changes", c.changes},
            {"commits", c.commits},
            {"changes_per_second", a_second(c.changes, seconds)}};
}

void add_state(json& to, const replay_statistics& statistics) {
    to["visible_us"] = {{"median", microseconds(statistics.visible.quantile(0.5))},
                        {"p99", microseconds(statistics.visible.quantile(0.99))},
                        {"max", microseconds(statistics.visible.largest())}};
    to["routes"] = {{"ipv4", statistics.ipv4_routes}, {"ipv6", statistics.ipv6_routes}};
    to["damaged_records"] = statistics.damaged_records;
    to["bad_lines"] = statistics.bad_lines;
}

std::string total_json(const replay_statistics& statistics) {
    json result = common("total", statistics.counts, statistics.seconds);
    add_state(result, statistics);
    result["changed_most"] = json::array();
    for (const changed_prefix& p : statistics.most_changed)
        result["changed_most"].push_back({{"prefix", p.prefix}, {"changes", p.changes}});
    return result.dump() + "\n";
}

} // namespace

std::string total(const replay_statistics& statistics, report_format format) {
    return format == report_format::text ? total_text(statistics) : total_json(statistics);
}

std::string interval(const replay_statistics& now, const replay_counts& before, double seconds,
                     report_format format) {
    const replay_counts since{now.counts.announced - before.announced,
                              now.counts.withdrawn - before.withdrawn, now.counts.changes - before.changes,
                              now.counts.commits - before.commits};
    if (format == report_format::json) {
        json result = common("interval", since, seconds);
        add_state(result, now);
        return result.dump() + "\n";
    }
    return fmt::format("{:.1f} s: {} updates, {} changes, {:.0f} changes a second; {} IPv4, {} IPv6 routes\n",
                       now.seconds, since.updates(), since.changes, a_second(since.changes, seconds),
                       now.ipv4_routes, now.ipv6_routes);
}

} // namespace fingerpost::cli
