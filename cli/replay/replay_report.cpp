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

std::string total_text(const replay_statistics& all) {
    const replay_counts& c = all.counts;
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
    row("seconds", fmt::format("{:.3f}", all.seconds));
    row("changes a second", fmt::format("{:.0f}", a_second(c.changes, all.seconds)));
    row("time to visible",
        fmt::format("median {}, p99 {}, max {}", duration(all.visible.quantile(0.5)),
                    duration(all.visible.quantile(0.99)), duration(all.visible.largest())));
    row("routes", fmt::format("{} IPv4, {} IPv6", all.ipv4_routes, all.ipv6_routes));
    if (all.damaged_records != 0)
        row("damaged records", fmt::format("{}", all.damaged_records));
    if (all.bad_lines != 0)
        row("bad lines", fmt::format("{}", all.bad_lines));
    if (!all.most_changed.empty())
        out += "changed most\n";
    std::size_t width = 0;
    for (const changed_prefix& one : all.most_changed)
        width = std::max(width, one.prefix.size());
    for (const changed_prefix& one : all.most_changed)
        out += fmt::format("  {:<{}}  {}\n", one.prefix, width, one.changes);
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

void add_state(json& to, const replay_statistics& all) {
    to["visible_us"] = {{"median", microseconds(all.visible.quantile(0.5))},
                        {"p99", microseconds(all.visible.quantile(0.99))},
                        {"max", microseconds(all.visible.largest())}};
    to["routes"] = {{"ipv4", all.ipv4_routes}, {"ipv6", all.ipv6_routes}};
    to["damaged_records"] = all.damaged_records;
    to["bad_lines"] = all.bad_lines;
}

std::string total_json(const replay_statistics& all) {
    json made = common("total", all.counts, all.seconds);
    add_state(made, all);
    made["changed_most"] = json::array();
    for (const changed_prefix& one : all.most_changed)
        made["changed_most"].push_back({{"prefix", one.prefix}, {"changes", one.changes}});
    return made.dump() + "\n";
}

} // namespace

std::string total(const replay_statistics& all, report_format format) {
    return format == report_format::text ? total_text(all) : total_json(all);
}

std::string interval(const replay_statistics& now, const replay_counts& before, double seconds,
                     report_format format) {
    const replay_counts since{now.counts.announced - before.announced,
                              now.counts.withdrawn - before.withdrawn, now.counts.changes - before.changes,
                              now.counts.commits - before.commits};
    if (format == report_format::json) {
        json made = common("interval", since, seconds);
        add_state(made, now);
        return made.dump() + "\n";
    }
    return fmt::format("{:.1f} s: {} updates, {} changes, {:.0f} changes a second; {} IPv4, {} IPv6 routes\n",
                       now.seconds, since.updates(), since.changes, a_second(since.changes, seconds),
                       now.ipv4_routes, now.ipv6_routes);
}

} // namespace fingerpost::cli
