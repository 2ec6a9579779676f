// `fingerpost-gpu-bench`: measures lookups on a GPU, beside one core and all cores of the same machine.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/command/bench_parts.hpp"
#include "bench/command/bench_table.hpp"
#include "bench/harness/timing/machine.hpp"
#include "bench/harness/timing/team.hpp"
#include "bench/workloads/trace/traces.hpp"
#include "fingerpost/image/image.hpp"
#include "gpu/bench/measure_gpu.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"
#include "terminal/help.hpp"
#include "terminal/options.hpp"
#include "terminal/run_program.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

// Calls of the CPU are this large, the largest of `lab bench lookup`.
constexpr std::size_t cpu_batch = 256;
// A longer trace would not change what the CPU's caches hold.
constexpr std::size_t longest_cpu_trace = std::size_t{1} << 24;

struct gpu_choice {
    bench_table_choice table;
    std::vector<std::string> schemes = {"default"};
    std::vector<unsigned> threads;
    bench::gpu_settings settings;
    result_form result;
};

void check_choice(gpu_choice& choice) {
    bench::gpu_settings& settings = choice.settings;
    settings.seed = choice.table.seed;
    settings.cpus = bench::usable_cpus();
    const std::size_t largest = *std::max_element(settings.batches.begin(), settings.batches.end());
    settings.addresses = std::max(settings.addresses, largest);
}

bench::lookup_settings cpu_settings(const gpu_choice& choice) {
    bench::lookup_settings settings;
    settings.workloads = choice.settings.workloads;
    settings.batches = {cpu_batch};
    settings.latency = false;
    settings.threads = choice.threads;
    settings.cpus = choice.settings.cpus;
    settings.rounds = choice.settings.rounds;
    settings.round_ms = choice.settings.round_ms;
    settings.addresses = std::min(choice.settings.addresses, longest_cpu_trace);
    settings.seed = choice.settings.seed;
    return settings;
}

// Sets ratios to the same scheme on the largest number of threads.
void set_ratios_to_cpu(std::vector<bench::lookup_row>& rows, unsigned threads) {
    for (bench::lookup_row& row : rows)
        for (const bench::lookup_row& cpu : rows)
            if (cpu.mode == "throughput" && cpu.threads == threads && cpu.scheme == row.scheme &&
                cpu.workload == row.workload && cpu.has_speed() && row.has_speed())
                row.ratio = row.by_statistic / cpu.by_statistic;
}

// The number of wrong answers of each scheme, for --check.
std::string counts_text(const bench::lookup_report& report) {
    std::string text;
    std::size_t checked = 0;
    std::size_t wrong = 0;
    for (const bench::lookup_row& row : report.rows) {
        text += fmt::format("IPv{} {} {} ({}): {} wrong of {}\n", row.family, row.table, row.scheme, row.mode,
                            row.wrong, row.checked);
        checked += row.checked;
        wrong += row.wrong;
    }
    return text + fmt::format("{}: {} wrong of {}\n", report.circumstances.gpu->name, wrong, checked);
}

template <class A>
bench::lookup_report measure(const gpu_choice& choice, const std::string& name, std::vector<route<A>> sorted,
                             bench::gpu_facts gpu) {
    std::vector<std::string> schemes;
    for (const scheme_entry<A>* const scheme : schemes_named<A>(choice.schemes))
        schemes.emplace_back(scheme->facts.name);
    const routes<A> table(std::move(sorted));
    const bench::table_labels labels{name, choice.table.next_hops, A::bits == 32 ? 4U : 6U};
    bench::lookup_report report;
    report.circumstances = bench::describe_machine();
    report.circumstances.gpu = std::move(gpu);
    bench::lookup_results results;
    progress line;
    const auto show = [&](const std::string& words, double left) { line.show(words, left); };
    if (!choice.settings.probes_only) {
        bench::competitor_choice competitors;
        competitors.schemes = choice.schemes;
        const auto chosen = bench::choose_competitors<A>(competitors);
        if (!chosen)
            throw usage_error(chosen.error());
        results = bench::measure_lookup<A>(table, *chosen, cpu_settings(choice), labels, show);
    }
    auto on_device = bench::measure_gpu<A>(table, schemes, choice.settings, labels, show,
                                           [](const routes<A>& from, std::string_view scheme) {
                                               return image<A>::compose(from, {}, {}, scheme);
                                           });
    line.wipe();
    for (auto member : {&bench::lookup_results::notes, &bench::lookup_results::wrong})
        std::move((on_device.*member).begin(), (on_device.*member).end(),
                  std::back_inserter(results.*member));
    std::move(on_device.rows.begin(), on_device.rows.end(), std::back_inserter(results.rows));
    report.rows = std::move(results.rows);
    add_notes(report, std::move(results.notes), results.wrong);
    return report;
}

int run_bench(gpu_choice& choice) {
    check_choice(choice);
    bench::gpu_facts gpu = bench::describe_gpu(choice.settings.device);
    const bool shows_counts = choice.settings.probes_only && !choice.result.is_json;
    std::optional<bench_output> out;
    if (!shows_counts)
        out.emplace(choice.result);
    bench_table table = make_bench_table(choice.table);
    if (!bench::pin_to(choice.settings.cpus.front()))
        report("this thread cannot be pinned to a CPU; expect more noise");
    bench::lookup_report result = std::visit(
        [&](auto& sorted) { return measure(choice, table.name, std::move(sorted), std::move(gpu)); },
        table.routes);
    if (shows_counts) {
        output counts(choice.result.out);
        counts.write(counts_text(result));
        counts.finish();
        return result.all_right() && !result.rows.empty() ? exit_code::ok : exit_code::failed;
    }
    const unsigned threads = *std::max_element(choice.threads.begin(), choice.threads.end());
    set_ratios_to_cpu(result.rows, threads);
    result.circumstances.baseline = fmt::format("the same scheme on {} threads of the CPU", threads);
    result.default_scheme = default_name();
    result.others = bench::best_others(result.rows, result.default_scheme);
    return out->give(std::move(result), choice.settings);
}

void add_method(command& program, gpu_choice& choice) {
    bench::gpu_settings& settings = choice.settings;
    const std::size_t cpus = bench::usable_cpus().size();
    choice.threads = cpus == 1 ? std::vector{1U} : std::vector{1U, static_cast<unsigned>(cpus)};
    add_number(program, "--device", settings.device, {0, 1023}, "Number of the GPU");
    add_names(program, "--places", settings.places, settings.places,
              "Where addresses and results are: on the device, or in memory of the host that is page-locked "
              "(pinned) or not (pageable)")
        .value = "PLACE,...";
    add_names(program, "--workloads", settings.workloads, workload_names(bench::workloads()),
              "Kinds of addresses to look up, see below");
    add_numbers(program, "--batch", settings.batches, {1, std::uint64_t{1} << 32},
                "Addresses per call on the device; the CPU has calls of 256");
    add_numbers(program, "--threads", choice.threads, {1, cpus},
                "Number of pinned threads of the CPU, at most the usable CPUs");
    add_number(program, "--rounds", settings.rounds, {1, 100'000}, "Measure each case N times");
    add_real(program, "--round-ms", settings.round_ms, 0.01, 1e5, "Duration of one measurement in ms");
    add_number(program, "--addresses", settings.addresses, {1, std::uint64_t{1} << 32},
               "Number of addresses per workload, at least one call");
    add_flag(
        program, "--check", settings.probes_only,
        "Instead of measuring, compare the answers at the edges of all routes, and count the wrong ones");
    add_result_options(program, choice.result);
}

command gpu_bench_command() {
    command program{.summary = "Lookups per second on a GPU, compared with the CPU of the same machine."};
    const auto choice = std::make_shared<gpu_choice>();
    add_bench_table_options(program, choice->table);
    add_schemes(program, choice->schemes, "Schemes to measure: names, \"default\" or \"all\"");
    add_method(program, *choice);
    program.more = workload_help(bench::workloads());
    program.examples = {
        {"fingerpost-gpu-bench -t table.txt --format json -o gpu.json", "Measure the standard schemes"},
        {"fingerpost-gpu-bench --generate rrc00-25:4000000 --places device --batch 1000000",
         "Measure calls of a million addresses on the device, on a generated table"},
        {"fingerpost-gpu-bench -t table.txt --check", "Compare the answers at the edges of all routes"}};
    program.run = [choice] { return run_bench(*choice); };
    return program;
}

int run(std::span<const std::string> words) {
    return run_command(gpu_bench_command(), words);
}

} // namespace
} // namespace fingerpost::cli

int main(int argc, char** argv) {
    fingerpost::cli::program_name = "fingerpost-gpu-bench";
    return fingerpost::cli::run_program(argc, argv, fingerpost::cli::run);
}
