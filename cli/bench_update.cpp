// `fingerpost bench update`: what changes of a live table cost its writer and its readers.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "bench/harness/amortised.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/team.hpp"
#include "bench/harness/update.hpp"
#include "bench/workloads/generate.hpp"
#include "bench/workloads/next_hops.hpp"
#include "bench/workloads/updates.hpp"
#include "cli/bench_commands.hpp"
#include "cli/bench_parts.hpp"
#include "cli/bench_table.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/failure.hpp"
#include "io/source/updates_file.hpp"

namespace fingerpost::cli {
namespace {

struct bench_update_choice {
    bench_table_choice table;
    bench::live_choice contenders;
    bench::update_settings settings;
    std::string updates;             // file
    std::optional<unsigned> readers; // all cores but the writer's, at most one, when not said
    bool chose_workloads = false;
    std::string experiment; // amortised, or none
    std::vector<std::size_t> batches;
    std::vector<std::size_t> rebuild_routes = {10'000, 20'000, 50'000, 100'000, 200'000, 500'000, 1'000'000};
    std::string json;
};

// Everything that can be refused before the table is read.
void check_choice(bench_update_choice& choice) {
    bench::update_settings& settings = choice.settings;
    if (!choice.updates.empty() && !choice.chose_workloads)
        settings.workloads.insert(settings.workloads.begin() + 1, "recorded");
    check_workloads(settings.workloads, bench::update_workloads());
    const auto& names = settings.workloads;
    if (choice.updates.empty() && std::find(names.begin(), names.end(), "recorded") != names.end())
        throw usage_error("the workload recorded needs --updates FILE");
    settings.cpus = bench::usable_cpus();
    const std::size_t most = settings.cpus.size() - 1;
    const std::size_t readers =
        choice.readers.value_or(static_cast<unsigned>(std::min<std::size_t>(most, 1)));
    if (readers > most)
        throw usage_error(
            fmt::format("--readers {}: this process may use {} CPUs, one of them for the writer", readers,
                        settings.cpus.size()));
    settings.cpus.resize(readers + 1);
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
bench::live_contenders choose(const bench_update_choice& choice) {
    auto found = bench::choose_live<A>(choice.contenders);
    if (!found)
        throw usage_error(found.error());
    return std::move(*found);
}

// Those of the choice come first, then those of the measurement.
std::vector<std::string> joined(const std::vector<std::string>& first, std::vector<std::string> second) {
    second.insert(second.begin(), first.begin(), first.end());
    return second;
}

template <class A>
bench::update_report measure(const bench_update_choice& choice, const std::string& name,
                             const std::vector<route<A>>& sorted) {
    const bench::live_contenders contenders = choose<A>(choice);
    const std::vector<route<A>> recorded = load_recorded<A>(choice);
    bench::update_report report;
    report.circumstances = bench::describe_machine();
    progress line;
    auto found = bench::measure_updates<A>(sorted, recorded, contenders.chosen, choice.settings, name,
                                           [&](const std::string& words) { line.show(words); });
    line.wipe();
    report.rows = std::move(found.rows);
    tell(report, joined(contenders.notes, std::move(found.notes)), found.wrong);
    return report;
}

template <class A>
void measure_all_rebuilds(const bench_update_choice& choice, const bench::live_contenders& contenders,
                          bench::amortised_results& found, progress& line) {
    for (const std::size_t count : choice.rebuild_routes) {
        bench::generate_options options;
        options.routes = count;
        options.seed = choice.settings.seed;
        auto made = bench::generate<A>(options);
        if (!made)
            throw usage_error("--rebuild-routes: " + made.error());
        if (const auto dealing = bench::parse_dealing(choice.table.next_hops))
            bench::deal_next_hops<A>(*made, *dealing, choice.settings.seed);
        bench::measure_rebuilds<A>(*made, contenders.chosen, choice.settings.rounds,
                                   fmt::format("generated {}", bench::default_shares(A::bits)), found,
                                   [&](const std::string& words) { line.show(words); });
    }
}

template <class A>
bench::amortised_report experiment(const bench_update_choice& choice, const std::string& name,
                                   const std::vector<route<A>>& sorted) {
    const bench::live_contenders contenders = choose<A>(choice);
    bench::amortised_report report;
    report.circumstances = bench::describe_machine();
    const bench::update_settings& s = choice.settings;
    const bench::amortised_settings settings{
        choice.batches.empty() ? bench::growing_batches(std::max<std::size_t>(s.changes / 8, 1))
                               : choice.batches,
        s.changes, s.rounds, s.round_ms, s.seed};
    bench::amortised_results found;
    progress line;
    bench::measure_batches<A>(sorted, contenders.chosen, settings, name, found,
                              [&](const std::string& words) { line.show(words); });
    measure_all_rebuilds<A>(choice, contenders, found, line);
    line.wipe();
    report.batches = std::move(found.batches);
    report.rebuilds = std::move(found.rebuilds);
    tell(report, joined(contenders.notes, std::move(found.notes)), found.wrong);
    return report;
}

void run_update(bench_update_choice choice, int& status) {
    check_choice(choice);
    bench_output out(choice.json);
    const bench_table table = make_bench_table(choice.table);
    if (!bench::pin_to(choice.settings.cpus.front()))
        report("the system refuses to pin this thread to a CPU; expect more noise");
    std::visit(
        [&](const auto& sorted) {
            if (choice.experiment.empty())
                out.give(measure(choice, table.name, sorted), choice.settings, status);
            else
                out.give(experiment(choice, table.name, sorted), choice.settings, status);
        },
        table.routes);
}

void add_contenders(CLI::App& command, bench_update_choice& choice) {
    const auto list = [&](const char* name, std::vector<std::string>& names, const char* help) {
        return command.add_option(name, names, help)->delimiter(',')->type_name("NAME,...");
    };
    list("--schemes", choice.contenders.schemes, "names of schemes, default or all")->capture_default_str();
    list("--policies", choice.contenders.policies,
         "rebuild, left_right, in_place; auto is the table's choice")
        ->capture_default_str();
    list("--workloads", choice.settings.workloads, "which changes; listed below")
        ->capture_default_str()
        ->each([&choice](const std::string&) { choice.chose_workloads = true; });
    command
        .add_option("--updates", choice.updates,
                    "text of `A prefix next_hop` and `W prefix` lines for the workload recorded, also "
                    "compressed")
        ->type_name("FILE");
}

void add_method(CLI::App& command, bench_update_choice& choice) {
    bench::update_settings& settings = choice.settings;
    command.add_option("--burst", settings.bursts, "changes in a transaction while readers look up")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 24))
        ->type_name("N,...")
        ->capture_default_str();
    command.add_option("--changes", settings.changes, "length of the list of changes that is played")
        ->check(CLI::Range(1, 1 << 26))
        ->capture_default_str();
    command.add_option("--readers", choice.readers,
                       "readers, each pinned to a core that is not the writer's; one if there are two cores");
    command.add_option("--batch", settings.batch, "addresses that a reader looks up at a time")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    command.add_option("--rounds", settings.rounds, "times that every size of burst is measured")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command.add_option("--round-ms", settings.round_ms, "what a case takes in a round")
        ->check(CLI::Range(0.01, 1e5))
        ->capture_default_str();
    command
        .add_option("--turns", settings.turns,
                    "turns of the single changes, each on a table of its own; own max takes their fastest")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_option("--addresses", settings.addresses, "length of the readers' trace")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 32))
        ->capture_default_str();
    command.add_option("--json", choice.json, "write the result there; - is stdout, without the table")
        ->type_name("FILE");
}

void add_experiment(CLI::App& command, bench_update_choice& choice) {
    command
        .add_option("--experiment", choice.experiment,
                    "amortised: the cost of a change by batch, and of a build by routes, instead of the "
                    "workloads")
        ->check(CLI::IsMember({"amortised"}).description(""))
        ->type_name("NAME");
    command
        .add_option("--batches", choice.batches,
                    "of the experiment: changes in a transaction; 1, 4, 16 and so on when not said")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 24))
        ->type_name("N,...");
    command
        .add_option("--rebuild-routes", choice.rebuild_routes, "of the experiment: sizes of generated tables")
        ->delimiter(',')
        ->check(CLI::Range(1, 100'000'000))
        ->type_name("N,...")
        ->capture_default_str();
}

} // namespace

void add_bench_update(CLI::App& bench, int& status) {
    CLI::App* const update = bench.add_subcommand(
        "update", "time until readers see a change, changes a second, and lookups lost to them");
    const auto choice = std::make_shared<bench_update_choice>();
    add_bench_table_options(*update, choice->table);
    add_contenders(*update, *choice);
    add_method(*update, *choice);
    add_experiment(*update, *choice);
    update->footer(workload_help(bench::update_workloads()));
    update->callback([choice, &status] { run_update(*choice, status); });
}

} // namespace fingerpost::cli
