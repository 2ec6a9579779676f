// `fingerpost bench lookup`: measures every scheme on a table, after checking its answers.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "bench/harness/lookup.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/team.hpp"
#include "bench/report/result.hpp"
#include "bench/workloads/traces.hpp"
#include "cli/bench_commands.hpp"
#include "cli/bench_parts.hpp"
#include "cli/bench_table.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/failure.hpp"

namespace fingerpost::cli {
namespace {

struct bench_lookup_choice {
    bench_table_choice table;
    bench::contender_choice contenders;
    bench::lookup_settings settings;
    std::vector<std::string> modes = {"throughput", "latency"};
    std::string baseline = "planb";
    std::string json;
};

// Everything that can be refused before the table is read.
void check_choice(bench_lookup_choice& choice) {
    bench::lookup_settings& settings = choice.settings;
    check_workloads(settings.workloads, bench::workloads());
    const auto wants = [&](const char* mode) {
        return std::find(choice.modes.begin(), choice.modes.end(), mode) != choice.modes.end();
    };
    settings.throughput = wants("throughput");
    settings.latency = wants("latency");
    settings.cpus = bench::usable_cpus();
    for (const unsigned threads : settings.threads)
        if (threads > settings.cpus.size())
            throw usage_error(
                fmt::format("--threads {}: this process may use {} CPUs", threads, settings.cpus.size()));
    settings.cpus.resize(*std::max_element(settings.threads.begin(), settings.threads.end()));
    settings.seed = choice.table.seed;
}

template <class A>
bench::lookup_report measure(const bench_lookup_choice& choice, const std::string& name,
                             std::vector<route<A>> sorted) {
    auto contenders = bench::choose_contenders<A>(choice.contenders);
    if (!contenders)
        throw usage_error(contenders.error());
    const routes<A> table(std::move(sorted));
    bench::lookup_report report;
    report.circumstances = bench::describe_machine();
    progress line;
    auto found = bench::measure_lookup<A>(table, *contenders, choice.settings,
                                          {name, choice.table.next_hops, A::bits == 32 ? 4U : 6U},
                                          [&](const std::string& words) { line.show(words); });
    line.wipe();
    report.rows = std::move(found.rows);
    tell(report, std::move(found.notes), found.wrong);
    return report;
}

void run_lookup(bench_lookup_choice choice, int& status) {
    check_choice(choice);
    bench_output out(choice.json);
    // Names of schemes depend on the family, which the table decides.
    bench_table table = make_bench_table(choice.table);
    if (!bench::pin_to(choice.settings.cpus.front()))
        report("the system refuses to pin this thread to a CPU; expect more noise");
    bench::lookup_report result = std::visit(
        [&](auto& sorted) { return measure(choice, table.name, std::move(sorted)); }, table.routes);
    result.circumstances.baseline = choice.baseline;
    bench::set_ratios(result.rows, choice.baseline);
    out.give(std::move(result), choice.settings, status);
}

void add_contenders(CLI::App& command, bench_lookup_choice& choice) {
    const auto list = [&](const char* name, std::vector<std::string>& names, const char* help) {
        command.add_option(name, names, help)->delimiter(',')->type_name("NAME,...")->capture_default_str();
    };
    list("--schemes", choice.contenders.schemes, "names of schemes, default or all");
    list("--isa", choice.contenders.isas, "instruction sets: auto is this machine's best, all, or names");
    list("--contenders", choice.contenders.strangers, "adapters for other libraries that this build has");
    command.add_option("--baseline", choice.baseline, "the scheme whose best batch all are compared with")
        ->capture_default_str();
}

void add_method(CLI::App& command, bench_lookup_choice& choice) {
    bench::lookup_settings& settings = choice.settings;
    command.add_option("--workloads", settings.workloads, "which addresses; listed below")
        ->delimiter(',')
        ->type_name("NAME,...")
        ->capture_default_str();
    command.add_option("--mode", choice.modes, "throughput (independent), latency (dependent)")
        ->delimiter(',')
        ->check(CLI::IsMember({"throughput", "latency"}).description(""))
        ->type_name("MODE,...")
        ->capture_default_str();
    command.add_option("--batch", settings.batches, "addresses a call; latency always takes one")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N,...")
        ->capture_default_str();
    command.add_option("--threads", settings.threads, "threads, each pinned, that share one table")
        ->delimiter(',')
        ->check(CLI::PositiveNumber)
        ->type_name("N,...")
        ->capture_default_str();
    command.add_option("--rounds", settings.rounds, "times that every case is measured")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command.add_option("--round-ms", settings.round_ms, "what a case aims to take in a round")
        ->check(CLI::Range(0.01, 1e5))
        ->capture_default_str();
    command.add_option("--addresses", settings.addresses, "length of a trace")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 32))
        ->capture_default_str();
    command.add_option("--json", choice.json, "write the result there; - is stdout, without the table")
        ->type_name("FILE");
}

} // namespace

void add_bench_lookup(CLI::App& bench, int& status) {
    CLI::App* const lookup =
        bench.add_subcommand("lookup", "lookups a second of every scheme, checked first, side by side");
    const auto choice = std::make_shared<bench_lookup_choice>();
    add_bench_table_options(*lookup, choice->table);
    add_contenders(*lookup, *choice);
    add_method(*lookup, *choice);
    lookup->footer(workload_help(bench::workloads()));
    lookup->callback([choice, &status] { run_lookup(*choice, status); });
}

} // namespace fingerpost::cli
