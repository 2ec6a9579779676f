// `fingerpost lab bench update`: measures the cost of changes of a live table for its writer and readers.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <utility>

#include "bench/command/bench_commands.hpp"
#include "bench/command/bench_parts.hpp"
#include "bench/command/bench_table.hpp"
#include "bench/harness/amortised.hpp"
#include "bench/harness/exact_queries.hpp"
#include "bench/harness/measure_updates.hpp"
#include "bench/harness/timing/machine.hpp"
#include "bench/harness/timing/team.hpp"
#include "bench/workloads/change/update_workload.hpp"
#include "bench/workloads/generate/generate.hpp"
#include "bench/workloads/generate/next_hops.hpp"
#include "io/source/updates_file.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

struct bench_update_choice {
    bench_table_choice table;
    bench::live_choice competitors;
    bench::update_settings settings;
    std::string updates; // file
    std::size_t readers = std::min<std::size_t>(bench::usable_cpus().size() - 1, 1);
    bool chose_workloads = false;
    std::string experiment; // amortised, queries, or none
    unsigned query_threads = 3;
    std::vector<unsigned> all_cpus{};
    std::vector<std::size_t> batches;
    std::vector<std::size_t> rebuild_routes = {10'000, 20'000, 50'000, 100'000, 200'000, 500'000, 1'000'000};
    result_form result;
};

// Checks options before the table is read.
void check_choice(bench_update_choice& choice) {
    bench::update_settings& settings = choice.settings;
    if (!choice.updates.empty() && !choice.chose_workloads)
        settings.workloads.insert(settings.workloads.begin() + 1, "recorded");
    const auto& names = settings.workloads;
    if (choice.updates.empty() && std::find(names.begin(), names.end(), "recorded") != names.end())
        throw usage_error("--workloads recorded needs --updates");
    settings.cpus = bench::usable_cpus();
    settings.cpus.resize(choice.readers + 1);
    settings.seed = choice.table.seed;
}

template <class A>
std::vector<route<A>> load_recorded(const bench_update_choice& choice) {
    if (choice.updates.empty())
        return {};
    auto read =
        io::load_updates<A>(choice.updates, choice.table.file.strict ? host_bits::refuse : host_bits::mask);
    if (!read)
        throw failure(io::message(read.error()));
    if (read->counts.other_family != 0)
        report(fmt::format("{}: {} updates of the other family skipped", choice.updates,
                           read->counts.other_family));
    return std::move(read->updates);
}

template <class A>
bench::live_competitors choose(const bench_update_choice& choice) {
    (void)schemes_named<A>(choice.competitors.schemes);
    auto competitors = bench::choose_live<A>(choice.competitors);
    if (!competitors)
        throw usage_error(competitors.error());
    return std::move(*competitors);
}

// Notes about the choice come before those about the measurement.
std::vector<std::string> joined(const std::vector<std::string>& first, std::vector<std::string> second) {
    second.insert(second.begin(), first.begin(), first.end());
    return second;
}

template <class A>
bench::update_report measure(const bench_update_choice& choice, const std::string& name,
                             const std::vector<route<A>>& sorted) {
    const bench::live_competitors competitors = choose<A>(choice);
    const std::vector<route<A>> recorded = load_recorded<A>(choice);
    bench::update_report report;
    report.circumstances = bench::describe_machine();
    progress line;
    auto results =
        bench::measure_updates<A>(sorted, recorded, competitors.chosen, choice.settings, name,
                                  [&](const std::string& words, double left) { line.show(words, left); });
    line.wipe();
    report.rows = std::move(results.rows);
    add_notes(report, joined(competitors.notes, std::move(results.notes)), results.wrong);
    return report;
}

// Estimated time of the builds from this table on.
double rebuild_seconds(const bench_update_choice& choice, const bench::live_competitors& competitors,
                       std::size_t first) {
    std::set<std::string> schemes;
    for (const bench::live_competitor& entry : competitors.chosen)
        schemes.insert(entry.scheme);
    return static_cast<double>((choice.rebuild_routes.size() - first) * schemes.size()) *
           bench::build_seconds;
}

template <class A>
void measure_all_rebuilds(const bench_update_choice& choice, const bench::live_competitors& competitors,
                          bench::amortised_results& results, progress& line) {
    for (std::size_t i = 0; i < choice.rebuild_routes.size(); ++i) {
        const std::size_t count = choice.rebuild_routes[i];
        const double later = rebuild_seconds(choice, competitors, i + 1);
        bench::generate_options options;
        options.routes = count;
        options.seed = choice.settings.seed;
        auto table_or_error = bench::generate<A>(options);
        if (!table_or_error)
            throw usage_error("--rebuild-routes: " + table_or_error.error());
        if (const auto dealing = bench::parse_dealing(choice.table.next_hops))
            bench::deal_next_hops<A>(*table_or_error, *dealing, choice.settings.seed);
        bench::measure_rebuilds<A>(
            *table_or_error, competitors.chosen, choice.settings.rounds,
            fmt::format("generated {}", bench::default_shares(A::bits)), results,
            [&](const std::string& words, double left) { line.show(words, left + later); });
    }
}

template <class A>
bench::query_report measure_beside_queries(const bench_update_choice& choice, const std::string& name,
                                           const std::vector<route<A>>& sorted) {
    const bench::live_competitors competitors = choose<A>(choice);
    bench::query_report report;
    report.circumstances = bench::describe_machine();
    const bench::update_settings& s = choice.settings;
    bench::query_results results;
    progress line;
    bench::measure_queries<A>(
        sorted, competitors.chosen,
        {choice.query_threads, choice.all_cpus, s.changes, s.rounds * s.round_ms * 1e-3, s.seed}, name,
        results, [&](const std::string& words, double left) { line.show(words, left); });
    line.wipe();
    report.rows = std::move(results.rows);
    add_notes(report, joined(competitors.notes, std::move(results.notes)), results.wrong);
    return report;
}

template <class A>
bench::amortised_report measure_amortised(const bench_update_choice& choice, const std::string& name,
                                          const std::vector<route<A>>& sorted) {
    const bench::live_competitors competitors = choose<A>(choice);
    bench::amortised_report report;
    report.circumstances = bench::describe_machine();
    const bench::update_settings& s = choice.settings;
    const bench::amortised_settings settings{
        choice.batches.empty() ? bench::growing_batches(std::max<std::size_t>(s.changes / 8, 1))
                               : choice.batches,
        s.changes, s.rounds, s.round_ms, s.seed};
    bench::amortised_results results;
    progress line;
    bench::measure_batches<A>(sorted, competitors.chosen, settings, name, results,
                              [&](const std::string& words, double left) {
                                  line.show(words, left + rebuild_seconds(choice, competitors, 0));
                              });
    measure_all_rebuilds<A>(choice, competitors, results, line);
    line.wipe();
    report.batches = std::move(results.batches);
    report.rebuilds = std::move(results.rebuilds);
    add_notes(report, joined(competitors.notes, std::move(results.notes)), results.wrong);
    return report;
}

int run_update(bench_update_choice choice) {
    check_choice(choice);
    bench_output out(choice.result);
    const bench_table table = make_bench_table(choice.table);
    if (!bench::pin_to(choice.settings.cpus.front()))
        report("this thread cannot be pinned to a CPU; expect more noise");
    return std::visit(
        [&](const auto& sorted) {
            if (choice.experiment == "amortised")
                return out.give(measure_amortised(choice, table.name, sorted), choice.settings);
            if (choice.experiment == "queries")
                return out.give(measure_beside_queries(choice, table.name, sorted), choice.settings);
            return out.give(measure(choice, table.name, sorted), choice.settings);
        },
        table.routes);
}

void add_competitors(command& to, bench_update_choice& choice) {
    add_schemes(to, choice.competitors.schemes, "Schemes to measure: names, \"default\" or \"all\"");
    add_names(to, "--policies", choice.competitors.policies, {"auto", "rebuild", "left_right", "in_place"},
              "How changes are published: rebuild, left_right, in_place, or auto");
    option& workloads = add_names(to, "--workloads", choice.settings.workloads,
                                  workload_names(bench::update_workloads()), "Kinds of changes, see below");
    workloads.take = [take = workloads.take, &choice](const std::string& text) {
        choice.chose_workloads = true;
        return take(text);
    };
    add_file(to, "--updates", choice.updates, "Update file for the workload \"recorded\"");
}

void add_method(command& to, bench_update_choice& choice) {
    bench::update_settings& settings = choice.settings;
    add_numbers(to, "--burst", settings.bursts, {1, 1 << 24},
                "Changes per transaction while readers look up");
    add_number(to, "--changes", settings.changes, {1, 1 << 26}, "Number of changes");
    add_number(to, "--readers", choice.readers, {0, bench::usable_cpus().size() - 1},
               "Number of reader threads, each pinned to its own core (default: 1 if there are two cores)")
        .preset.clear();
    add_number(to, "--batch", settings.batch, {1, 1 << 20}, "Addresses per reader call");
    add_number(to, "--rounds", settings.rounds, {1, 100'000}, "Measure each case N times");
    add_real(to, "--round-ms", settings.round_ms, 0.01, 1e5, "Duration of one measurement in ms");
    add_number(to, "--turns", settings.turns, {1, 1000},
               "Repetitions of the measurement of single changes; the fastest one counts");
    add_number(to, "--addresses", settings.addresses, {1, std::uint64_t{1} << 32},
               "Number of addresses that readers look up");
    add_result_options(to, choice.result);
}

void add_experiment(command& to, bench_update_choice& choice) {
    add_name(to, "--experiment", choice.experiment, {"amortised", "queries"},
             "Run an experiment instead: amortised (cost per change by batch size, and of builds) or queries "
             "(cost while other threads make exact queries)");
    add_numbers(to, "--batches", choice.batches, {1, 1 << 24},
                "amortised: batch sizes (default: 1, 4, 16 and so on)");
    add_numbers(to, "--rebuild-routes", choice.rebuild_routes, {1, bench::most_routes},
                "amortised: table sizes");
    add_number(to, "--query-threads", choice.query_threads, {1, 1000}, "queries: number of threads");
}

} // namespace

command bench_update_command() {
    command result{.name = "lab bench update", .summary = "measure update latency and update rate"};
    const auto choice = std::make_shared<bench_update_choice>();
    add_bench_table_options(result, choice->table);
    add_competitors(result, *choice);
    add_method(result, *choice);
    add_experiment(result, *choice);
    result.more = workload_help(bench::update_workloads());
    result.examples = {
        {"fingerpost lab bench update -t table.txt --scheme " + default_name(),
         "Measure one scheme under all policies"},
        {"fingerpost lab bench update -t table.txt --updates updates.txt", "Measure recorded updates, too"}};
    result.run = [choice] { return run_update(*choice); };
    return result;
}

} // namespace fingerpost::cli
