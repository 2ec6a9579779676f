// `fingerpost lab bench lookup`: measures every scheme on a table, after checking its answers.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "bench/command/bench_commands.hpp"
#include "bench/command/bench_parts.hpp"
#include "bench/command/bench_table.hpp"
#include "bench/harness/measure_lookups.hpp"
#include "bench/harness/timing/machine.hpp"
#include "bench/harness/timing/team.hpp"
#include "bench/measured/lookup_result.hpp"
#include "bench/workloads/trace/traces.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

// The check also measures roughly how fast a case is, which determines the size of a round.
constexpr std::uint64_t least_checked = std::uint64_t{1} << 14;

struct bench_lookup_choice {
    bench_table_choice table;
    bench::competitor_choice competitors;
    bench::lookup_settings settings;
    std::vector<std::string> modes = {"throughput", "latency"};
    std::vector<std::string> inputs = {"whole"};
    std::optional<std::string> baseline;
    result_form result;
};

// Checks options before the table is read.
void check_choice(bench_lookup_choice& choice) {
    bench::lookup_settings& settings = choice.settings;
    const auto wants = [](const std::vector<std::string>& names, const char* name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    settings.throughput = wants(choice.modes, "throughput");
    settings.latency = wants(choice.modes, "latency");
    settings.cached = wants(choice.modes, "cached");
    settings.streamed = wants(choice.modes, "streamed");
    settings.first64 = wants(choice.inputs, "first64");
    settings.halves = wants(choice.inputs, "halves");
    if ((settings.first64 || settings.halves) && !settings.throughput)
        throw usage_error("--input needs --mode throughput");
    settings.cpus = bench::usable_cpus();
    settings.cpus.resize(*std::max_element(settings.threads.begin(), settings.threads.end()));
    settings.seed = choice.table.seed;
}

// The baseline must be among the measured schemes, unless it is the default.
template <class A>
void refuse_baseline(const bench_lookup_choice& choice,
                     const std::vector<bench::competitor<A>>& competitors) {
    std::vector<std::string> names;
    for (const bench::competitor<A>& entry : competitors)
        if (names.empty() || names.back() != entry.name)
            names.push_back(entry.name);
    if (!choice.baseline)
        return;
    if (const std::string reason = refuse_name(*choice.baseline, names); !reason.empty())
        throw usage_error("--baseline: " + reason);
}

template <class A>
bench::lookup_report measure(const bench_lookup_choice& choice, const std::string& name,
                             std::vector<route<A>> sorted) {
    (void)schemes_named<A>(choice.competitors.schemes);
    auto competitors = bench::choose_competitors<A>(choice.competitors);
    if (!competitors)
        throw usage_error(competitors.error());
    refuse_baseline(choice, *competitors);
    if (A::bits <= first_half && (choice.settings.first64 || choice.settings.halves))
        throw usage_error("--input: only IPv6 addresses have halves");
    std::vector<std::string> notes;
    if (choice.settings.first64)
        if (const std::size_t removed =
                std::erase_if(sorted, [](const route<A>& r) { return r.where.length > first_half; });
            removed > 0)
            notes.push_back(
                fmt::format("{} routes longer than /64 were left out of the table, as first halves "
                            "do not decide between them",
                            removed));
    const routes<A> table(std::move(sorted));
    bench::lookup_report report;
    report.circumstances = bench::describe_machine();
    progress line;
    auto results = bench::measure_lookup<A>(
        table, *competitors, choice.settings, {name, choice.table.next_hops, A::bits == 32 ? 4U : 6U},
        [&](const std::string& words, double left) { line.show(words, left); });
    line.wipe();
    report.rows = std::move(results.rows);
    notes.insert(notes.end(), results.notes.begin(), results.notes.end());
    add_notes(report, std::move(notes), results.wrong);
    return report;
}

int run_lookup(bench_lookup_choice choice) {
    check_choice(choice);
    bench_output out(choice.result);
    // The names of schemes depend on the family of the table.
    bench_table table = make_bench_table(choice.table);
    if (!bench::pin_to(choice.settings.cpus.front()))
        report("this thread cannot be pinned to a CPU; expect more noise");
    bench::lookup_report result = std::visit(
        [&](auto& sorted) { return measure(choice, table.name, std::move(sorted)); }, table.routes);
    const std::string baseline = choice.baseline.value_or(default_baseline());
    result.circumstances.baseline = baseline;
    result.circumstances.statistic = bench::name_of(choice.settings.judged_by);
    bench::set_ratios(result.rows, baseline);
    result.default_scheme = default_name();
    result.others = bench::best_others(result.rows, result.default_scheme);
    return out.give(std::move(result), choice.settings);
}

std::vector<std::string> with_auto(std::vector<std::string> names) {
    names.insert(names.begin(), "auto");
    return names;
}

void add_competitors(command& to, bench_lookup_choice& choice) {
    bench::competitor_choice& competitors = choice.competitors;
    add_schemes(to, competitors.schemes, "Schemes to measure: names, \"default\" or \"all\"");
    add_names(to, "--isa", competitors.isas, with_auto(isa_choices()),
              "Instruction sets: auto (the best), all, or names");
    option& third_parties =
        add_names(to, "--competitors", competitors.third_parties, bench::known_third_parties(),
                  "Measure these libraries too, if built in: " +
                      fmt::format("{}", fmt::join(bench::known_third_parties(), ", ")));
    third_parties.take = [take = third_parties.take, &competitors](const std::string& text) {
        std::string reason = take(text);
        for (std::size_t i = 0; i < competitors.third_parties.size() && reason.empty(); ++i)
            reason = bench::why_third_party_is_missing(competitors.third_parties[i]);
        return reason;
    };
    add_option(to, {.name = "--baseline",
                    .value = "NAME",
                    .help = "Scheme that ratios refer to, with its best batch",
                    .preset = default_baseline(),
                    .choices = scheme_names(),
                    .take = [&choice](const std::string& name) {
                        choice.baseline = present_scheme(name);
                        return std::string();
                    }});
}

void add_method(command& to, bench_lookup_choice& choice) {
    bench::lookup_settings& settings = choice.settings;
    add_names(to, "--workloads", settings.workloads, workload_names(bench::workloads()),
              "Kinds of addresses to look up, see below");
    add_names(
        to, "--mode", choice.modes, {"throughput", "latency", "cached", "streamed"},
        "throughput: independent lookups, of addresses that the loop prefetches; latency: each waits for "
        "the one before; cached: throughput with addresses in the cache; streamed: with addresses in "
        "memory that the loop does not prefetch")
        .value = "MODE,...";
    add_names(
        to, "--input", choice.inputs, {"whole", "first64", "halves"},
        "Measure IPv6 in other forms, too: the first 64 bits of each address (first64, which skips routes "
        "longer than /64) or both halves (halves)")
        .value = "INPUT,...";
    add_numbers(to, "--batch", settings.batches, {1, 1 << 20},
                "Addresses per call; 1 measures calls of lookup(address). Latency always uses one");
    add_numbers(to, "--threads", settings.threads, {1, bench::usable_cpus().size()},
                "Number of pinned threads, at most the usable CPUs");
    add_number(to, "--rounds", settings.rounds, {1, 100'000}, "Measure each case N times");
    add_real(to, "--round-ms", settings.round_ms, 0.01, 1e5, "Duration of one measurement in ms");
    const std::vector<std::string> statistics = {"median", "best", "quantile:SHARE"};
    add_option(to, {.name = "--statistic",
                    .value = "STATISTIC",
                    .help = "Statistic to report: median, best, or quantile:SHARE such as quantile:0.25",
                    .preset = bench::name_of(settings.judged_by),
                    .choices = {"median", "best", "quantile:"},
                    .take = [&settings, statistics](const std::string& text) {
                        const auto read = bench::parse_statistic(text);
                        settings.judged_by = read.value_or(settings.judged_by);
                        return read ? std::string() : refuse_name(text, statistics);
                    }});
    add_number(to, "--addresses", settings.addresses, {1, std::uint64_t{1} << 32},
               "Number of addresses per workload");
    add_number(to, "--checked", settings.checked, {least_checked, std::uint64_t{1} << 32},
               "Number of answers verified before timing, at most --addresses");
    add_result_options(to, choice.result);
}

} // namespace

command bench_lookup_command() {
    command result{.name = "lab bench lookup", .summary = "measure lookups per second of each scheme"};
    const auto choice = std::make_shared<bench_lookup_choice>();
    add_bench_table_options(result, choice->table);
    add_competitors(result, *choice);
    add_method(result, *choice);
    result.more = workload_help(bench::workloads());
    result.examples = {{"fingerpost lab bench lookup -t table.txt --format json -o result.json",
                        "Measure the standard schemes on your table"},
                       {fmt::format("fingerpost lab bench lookup -t table.txt --scheme {},{}", default_name(),
                                    default_baseline()),
                        "Compare two schemes"},
                       {"fingerpost lab bench lookup --generate rrc00-25:50000 --batch 1,32",
                        "Compare two batch sizes on a generated table"}};
    result.run = [choice] { return run_lookup(*choice); };
    return result;
}

} // namespace fingerpost::cli
