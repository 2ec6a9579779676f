// `fingerpost router top`: shows the activity of a running router, page after page.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "cli/router/router_commands.hpp"
#include "cli/router/router_hits.hpp"
#include "cli/router/router_search.hpp"
#include "cli/router/router_values.hpp"
#include "cli/writers/grouped.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/columns.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/live_screen.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

using std::chrono::steady_clock;

struct top_options {
    router_choice router;
    router_format format = router_format::table;
    std::uint64_t limit = 0; // 0: until the user ends it, or one page without a terminal
    double interval = 1;

    std::chrono::milliseconds pause() const {
        return std::chrono::milliseconds(static_cast<std::int64_t>(interval * 1000));
    }
};

// The router's answers at one moment.
struct router_sample {
    steady_clock::time_point at;
    answer summary;
    answer threads;
    answer drops;
    answer tables;
    answer stages;
    answer next_hops; // the busiest ones
    answer prefixes;
};

// Number of prefixes on a page.
constexpr std::size_t most_prefixes = 10;

router_sample ask_for_sample(router_socket& router) {
    router_sample now;
    now.at = steady_clock::now();
    now.summary = router.ask("summary");
    now.threads = router.ask("threads");
    now.drops = router.ask("drops");
    now.stages = ask_for_items(router, "stages");
    now.next_hops = router.ask("busiest_next_hops");
    now.prefixes = router.ask("prefixes");
    now.tables = router.ask("tables");
    return now;
}

// Two samples. The earlier one is null at first, so there are no rates yet.
class change_of_sample {
  public:
    change_of_sample(const router_sample* before, const router_sample& now)
        : seconds_(before == nullptr ? 0 : std::chrono::duration<double>(now.at - before->at).count()) {}

    // The growth of a counter; nothing if either sample lacks it.
    static std::optional<double> growth(const answer& before, const answer& now, const char* name) {
        const auto earlier = number_of(before, name);
        const auto later = number_of(now, name);
        return earlier && later ? std::optional(*later - *earlier) : std::nullopt;
    }
    // Seconds between the samples; 0 at first.
    double seconds() const noexcept { return seconds_; }
    std::string rate(const answer& before, const answer& now, const char* name) const {
        return rate_text(growth(before, now, name));
    }
    std::string rate_text(const std::optional<double>& grown) const {
        if (!grown || seconds_ <= 0)
            return "-";
        return grouped(static_cast<std::uint64_t>(std::max(*grown, 0.0) / seconds_ + 0.5));
    }

  private:
    double seconds_;
};

const answer& part_of(const router_sample* sample, answer router_sample::*part) {
    static const answer none;
    return sample == nullptr ? none : sample->*part;
}

std::string packets_page(const router_sample* before, const router_sample& now,
                         const change_of_sample& change) {
    constexpr std::pair<const char*, const char*> counters[] = {
        {"missed", "missed"},       {"received", "received"},       {"sent", "sent"},
        {"to kernel", "to_kernel"}, {"from kernel", "from_kernel"}, {"made", "made"},
        {"dropped", "dropped"}};
    const answer& earlier = part_of(before, &router_sample::summary);
    columns page({{"packets"}, {"a second", true}, {"in all", true}});
    for (const auto& [title, name] : counters)
        page.add({title, change.rate(earlier, now.summary, name), text_of(now.summary, name)});
    return page.text();
}

std::string drops_page(const router_sample* before, const router_sample& now,
                       const change_of_sample& change) {
    const answer& earlier = part_of(before, &router_sample::drops);
    columns page({{"dropped"}, {"a second", true}, {"in all", true}});
    for (const auto& [reason, count] : now.drops.items())
        if (count != 0)
            page.add({reason, change.rate(earlier, now.drops, reason.c_str()),
                      text_of(now.drops, reason.c_str())});
    return page.is_empty() ? "" : '\n' + page.text();
}

// The share between the samples if the router reports the counters, else since its start.
std::optional<double> share_of_growth(const answer& before, const answer& now, const char* part,
                                      const char* whole, const char* since_start) {
    const auto grown_part = change_of_sample::growth(before, now, part);
    const auto grown_whole = change_of_sample::growth(before, now, whole);
    if (!grown_part || !grown_whole)
        return number_of(now, since_start);
    return *grown_whole > 0 ? *grown_part / *grown_whole : 0;
}

std::string threads_page(const router_sample* before, const router_sample& now,
                         const change_of_sample& change) {
    const answer& earlier = part_of(before, &router_sample::threads);
    columns page({{"thread"},
                  {"core", true},
                  {"received/s", true},
                  {"sent/s", true},
                  {"dropped/s", true},
                  {"busy", true},
                  {"mean batch", true}});
    for (const auto& [name, thread] : now.threads.items()) {
        const answer& was = member_of(earlier, name.c_str());
        page.add({name, text_of(thread, "core"), change.rate(was, thread, "received"),
                  change.rate(was, thread, "sent"), change.rate(was, thread, "dropped"),
                  percent_of(share_of_growth(was, thread, "busy_cycles", "cycles", "busy_share")),
                  real_text(share_of_growth(was, thread, "looked_up", "lookups", "mean_batch"))});
    }
    return '\n' + page.text();
}

std::string tables_page(const router_sample* before, const router_sample& now,
                        const change_of_sample& change) {
    const answer& earlier = part_of(before, &router_sample::tables);
    columns page(
        {{"table"}, {"scheme"}, {"routes", true}, {"changes/s", true}, {"pending", true}, {"bytes", true}});
    for (const auto& [family, table] : now.tables.items()) {
        std::optional<double> changes;
        for (const char* const kind : {"announced", "withdrawn", "swept"})
            if (const auto grown = change_of_sample::growth(member_of(earlier, family.c_str()), table, kind))
                changes = changes.value_or(0) + *grown;
        page.add({family, text_of(table, "scheme"), text_of(table, "routes"), change.rate_text(changes),
                  text_of(table, "pending"), text_of(table, "bytes")});
    }
    return '\n' + page.text();
}

// Puts an empty line before a page that is not empty.
std::string after_line(const std::string& page) {
    return page.empty() ? page : '\n' + page;
}

std::string page_of(const router_socket& router, const router_sample* before, const router_sample& now) {
    const change_of_sample change(before, now);
    const double uptime = number_of(now.summary, "uptime_seconds").value_or(0);
    std::string page =
        fmt::format("fingerpost-router, process {}, up for {}\nroutes from {}\n\n", router.pid(),
                    duration_text(uptime), io::printable(source_text(now.summary)));
    page += packets_page(before, now, change);
    page += threads_page(before, now, change);
    page += after_line(stages_text(part_of(before, &router_sample::stages), now.stages));
    page += after_line(prefixes_text(now.prefixes, most_prefixes));
    page += after_line(
        next_hops_text(part_of(before, &router_sample::next_hops), now.next_hops, change.seconds()));
    page += tables_page(before, now, change);
    return page + drops_page(before, now, change);
}

std::string line_of(const router_sample& now) {
    const answer whole = {{"summary", now.summary},  {"threads", now.threads}, {"drops", now.drops},
                          {"tables", now.tables},    {"stages", now.stages},   {"next_hops", now.next_hops},
                          {"prefixes", now.prefixes}};
    return whole.dump() + '\n';
}

void watch_on_screen(router_socket& router, const top_options& options) {
    live_screen screen;
    std::optional<router_sample> before;
    for (std::uint64_t pages = 1;; ++pages) {
        router_sample now = ask_for_sample(router);
        screen.draw(page_of(router, before ? &*before : nullptr, now));
        before = std::move(now);
        if (pages == options.limit || !screen.wait(options.pause()))
            return;
    }
}

// A page shows rates, so the first one appears after one interval.
void print_pages(router_socket& router, const top_options& options) {
    output out;
    router_sample before = ask_for_sample(router);
    for (std::uint64_t pages = 1; pages <= std::max<std::uint64_t>(options.limit, 1); ++pages) {
        std::this_thread::sleep_for(options.pause());
        router_sample now = ask_for_sample(router);
        out.write(pages == 1 ? "" : "\n");
        out.write(page_of(router, &before, now));
        out.flush();
        before = std::move(now);
    }
}

void print_lines(router_socket& router, const top_options& options) {
    output out;
    for (std::uint64_t lines = 1;; ++lines) {
        out.write(line_of(ask_for_sample(router)));
        out.flush();
        if (lines >= options.limit)
            return;
        std::this_thread::sleep_for(options.pause());
    }
}

int watch_router(const top_options& options) {
    router_socket router = open_router(options.router);
    if (options.format == router_format::json)
        print_lines(router, options);
    else if (is_terminal(STDOUT_FILENO) && options.limit != 1)
        watch_on_screen(router, options);
    else
        print_pages(router, options);
    return exit_code::ok;
}

} // namespace

command router_top_command() {
    auto options = std::make_shared<top_options>();
    command result{.name = "router top", .summary = "live display of the router's activity"};
    add_number(result, "--limit", options->limit, {1, 1'000'000'000}, "Stop after N updates").preset =
        "never on a terminal, else 1";
    add_real(result, "--interval", options->interval, 0.1, 3600, "Seconds between updates").letter = 'n';
    add_router_format(result, options->format);
    add_router_options(result, options->router);
    result.more =
        "Output:\n"
        "  on a terminal  the screen is redrawn; q or Ctrl-C ends it. --limit 1 prints a page\n"
        "  elsewhere  one page after the other, the first after an interval\n"
        "  --format json  an object per line with the counters of all parts, without rates\n"
        "\nCycles per packet are sampled from one burst in telemetry.time_one_in, packets per prefix from "
        "one "
        "packet in telemetry.sample_one_in: the number after +- is the 95 % error bound. Packets per next "
        "hop are exact.\n";
    result.examples = {
        {"fingerpost router top", "Watch until you press q"},
        {"fingerpost router top --limit 1", "Print one page"},
        {"fingerpost router top --limit 3 --interval 10 > log", "Print three pages, one every 10 seconds"}};
    result.run = [options] { return watch_router(*options); };
    return result;
}

} // namespace fingerpost::cli
