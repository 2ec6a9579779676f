// `fingerpost-router-bench`: measures packets per second through the router's data plane, compared with
// DPDK's own table.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include <rte_eal.h>

#include "bench/command/bench_parts.hpp"
#include "bench/command/bench_table.hpp"
#include "bench/harness/timing/machine.hpp"
#include "bench/harness/timing/team.hpp"
#include "bench/workloads/trace/traces.hpp"
#include "lab/competitors/linked/dpdk_heap.hpp"
#include "router/bench/measure.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"
#include "terminal/help.hpp"
#include "terminal/options.hpp"
#include "terminal/run_program.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

struct router_choice {
    bench_table_choice table;
    std::vector<std::string> schemes = {"default"};
    std::vector<std::string> ways = {"complete", "fused", "pipeline"};
    std::vector<std::string> parts = {"delays", "changes"};
    bench::router_settings settings;
    result_form result;
};

// The main thread runs on the last CPU of the list, data threads from the first one on, and the host thread
// on the same CPU as the main thread.
void start_dpdk(const std::vector<unsigned>& cpus) {
    std::string lcores = fmt::format("0@{}", cpus.back());
    for (unsigned i = 1; i < bench::host_lcore; ++i)
        lcores += fmt::format(",{}@{}", i, cpus[(i - 1) % cpus.size()]);
    lcores += fmt::format(",{}@{}", bench::host_lcore, cpus.back());
    std::vector<std::string> words = {"fingerpost-router-bench",
                                      "--no-huge",
                                      "--no-pci",
                                      "--no-shconf",
                                      "--no-telemetry",
                                      "--iova-mode=va",
                                      "--log-level=error",
                                      "--lcores",
                                      lcores,
                                      "-m",
                                      "1024",
                                      "--force-max-simd-bitwidth=512"};
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    if (rte_eal_init(static_cast<int>(arguments.size()), arguments.data()) < 0)
        throw failure("DPDK does not start");
    bench::dpdk_heap::dpdk_runs();
}

bool has_name(const std::vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void check_choice(router_choice& choice) {
    bench::router_settings& settings = choice.settings;
    settings.ways.clear();
    for (const router::run_mode mode :
         {router::run_mode::complete, router::run_mode::fused, router::run_mode::pipeline})
        if (has_name(choice.ways, std::string(name_of(mode)).c_str()))
            settings.ways.push_back(mode);
    settings.delays = has_name(choice.parts, "delays");
    settings.changes = has_name(choice.parts, "changes");
    settings.seed = choice.table.seed;
    settings.cpus = bench::usable_cpus();
}

template <class A>
int measure(router_choice& choice, const std::string& name, std::vector<route<A>> sorted, bench_output& out) {
    for (const scheme_entry<A>* const scheme : schemes_named<A>(choice.schemes))
        choice.settings.schemes.emplace_back(scheme->facts.name);
    progress line;
    bench::router_report report =
        bench::measure_router<A>(std::move(sorted), name, choice.settings,
                                 [&](const std::string& words, double left) { line.show(words, left); });
    line.wipe();
    std::vector<std::string> notes = std::move(report.circumstances.notes);
    report.circumstances = bench::describe_machine();
    for (std::string& warning : warnings_of(report))
        notes.push_back(std::move(warning));
    add_notes(report, std::move(notes), {});
    return out.give(std::move(report), choice.settings);
}

int run_bench(router_choice& choice) {
    check_choice(choice);
    bench_output out(choice.result);
    bench_table table = make_bench_table(choice.table);
    start_dpdk(choice.settings.cpus);
    return std::visit([&](auto& sorted) { return measure(choice, table.name, std::move(sorted), out); },
                      table.routes);
}

command router_bench_command() {
    command program{
        .summary = "Packets per second through the router's data plane, compared with DPDK's own table."};
    const auto choice = std::make_shared<router_choice>();
    bench::router_settings& settings = choice->settings;
    add_bench_table_options(program, choice->table);
    add_schemes(program, choice->schemes, "Schemes to measure: names, \"default\" or \"all\"");
    add_names(program, "--ways", choice->ways, choice->ways, "How stages share threads").value = "WAY,...";
    add_names(program, "--parts", choice->parts, choice->parts, "Parts to measure besides packets per second")
        .value = "PART,...";
    add_names(program, "--workloads", settings.workloads, workload_names(bench::workloads()),
              "Kinds of destinations, see below");
    add_number(program, "--gateways", settings.gateways, {1, bench::most_gateways},
               "Largest number of next hops");
    add_number(program, "--burst", settings.burst, {1, 64}, "Number of packets received at a time");
    add_real(program, "--load", settings.load, 0.01, 1, "delays: load, as a share of the highest rate");
    add_real(program, "--changes", settings.changes_per_second, 1, 1e8, "Route changes per second");
    add_number(program, "--change-burst", settings.change_burst, {1, 1 << 20}, "Changes per commit");
    add_number(program, "--rounds", settings.rounds, {1, 100'000}, "Measure each case N times");
    add_real(program, "--round-ms", settings.round_ms, 0.01, 1e5, "Duration of one measurement in ms");
    add_number(program, "--addresses", settings.addresses, {1, std::uint64_t{1} << 28},
               "Number of addresses per workload");
    add_result_options(program, choice->result);
    program.more = workload_help(bench::workloads());
    program.examples = {
        {"fingerpost-router-bench -t table.txt --scheme packed_leaves,planb", "Compare two schemes"},
        {"fingerpost-router-bench --generate rrc00-25:235466 --parts delays",
         "Measure the standard schemes on a generated table, without route changes"}};
    program.run = [choice] { return run_bench(*choice); };
    return program;
}

int run(std::span<const std::string> words) {
    return run_command(router_bench_command(), words);
}

} // namespace
} // namespace fingerpost::cli

int main(int argc, char** argv) {
    fingerpost::cli::program_name = "fingerpost-router-bench";
    return fingerpost::cli::run_program(argc, argv, fingerpost::cli::run);
}
