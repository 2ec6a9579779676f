// Inspects the parts and nodes of a FIB, and the lookup steps of a workload.
#include "cli/info/inspection.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "bench/command/bench_parts.hpp"
#include "bench/workloads/trace/traces.hpp"
#include "terminal/failure.hpp"
#include "terminal/histogram.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::uint64_t trace_seed = 1; // the benchmark's default

template <class A>
std::vector<inspected_level> levels_of(const any_fib<A>& fib) {
    std::vector<inspected_level> levels;
    const auto count = [&](const structure_node<A>& node) {
        if (node.level >= levels.size())
            levels.resize(node.level + 1);
        inspected_level& level = levels[node.level];
        ++level.nodes;
        level.bytes += node.bytes;
        ++level.kinds[std::string(node.kind)];
    };
    fib.visit(count);
    return levels;
}

void count_at(std::vector<std::uint64_t>& counts, std::size_t number) {
    if (number >= counts.size())
        counts.resize(number + 1);
    ++counts[number];
}

template <class A>
inspected_steps steps_of(const any_fib<A>& fib, const routes<A>& table, const inspection_choice& choice) {
    const auto trace = bench::make_trace<A>(choice.workload, table, choice.addresses, trace_seed);
    if (!trace) {
        const bool none = trace.error() == errc::not_found;
        throw failure(fmt::format("workload {}: {}", choice.workload,
                                  none ? "the table has no such address" : message(trace.error())));
    }
    inspected_steps counts;
    std::vector<std::uint64_t> lines; // numbers of the cache lines that a lookup reads
    for (const A a : trace->span()) {
        std::size_t steps = 0;
        lines.clear();
        const auto add = [&](const trace_step& step) {
            constexpr std::uint64_t line_bytes = 64;
            const auto first = reinterpret_cast<std::uintptr_t>(step.at);
            for (std::uint64_t l = first / line_bytes; l <= (first + step.bytes - 1) / line_bytes; ++l)
                if (std::find(lines.begin(), lines.end(), l) == lines.end())
                    lines.push_back(l);
            ++steps;
        };
        fib.trace(a, add);
        count_at(counts.steps, steps);
        count_at(counts.lines, lines.size());
    }
    return counts;
}

double mean_of(const std::vector<std::uint64_t>& counts) {
    std::uint64_t lookups = 0, sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        lookups += counts[i];
        sum += i * counts[i];
    }
    return ratio(sum, lookups);
}

void put_counts(bench::json_writer& json, std::string_view name, const std::vector<std::uint64_t>& counts) {
    json.key(name);
    json.begin_object();
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] != 0)
            json.member(std::to_string(i), counts[i]);
    json.end_object();
}

std::string steps_text(const inspected_steps& steps, const inspection_choice& choice) {
    std::string out =
        fmt::format("{:<11} {} ({} addresses)\n", "workload", choice.workload, choice.addresses);
    const auto add = [&](std::string_view label, const std::vector<std::uint64_t>& counts) {
        out += histogram(label, "", counts, choice.addresses);
        out += fmt::format("{:<11} {:>7.2f} a lookup on average\n", "", mean_of(counts));
    };
    add("steps", steps.steps);
    add("cache lines", steps.lines);
    return out;
}

} // namespace

void add_inspection_options(command& to, inspection_choice& choice) {
    add_schemes(to, choice.schemes,
                "Show the memory of these schemes, separated by commas: \"default\" for the standard ones, "
                "\"all\" for the variants too. A single name also shows its arrays and levels")
        .preset = default_name();
    add_flag(to, "--steps", choice.steps, "Measure how many steps and cache lines a lookup takes").needs =
        "--scheme";
    add_name(to, "--workload", choice.workload, workload_names(bench::workloads()),
             "Kind of addresses for --steps, see below")
        .needs = "--steps";
    add_number(to, "--addresses", choice.addresses, {1, std::uint64_t{1} << 32},
               "Number of addresses for --steps")
        .needs = "--steps";
    to.more = workload_help(bench::workloads());
}

template <class A>
inspection inspect(const scheme_entry<A>& scheme, const any_fib<A>& fib, const routes<A>& table,
                   const inspection_choice& choice) {
    inspection result;
    for (const memory_part& part : fib.memory_parts())
        result.parts.push_back({std::string(part.name), part.bytes});
    result.levels = levels_of(fib);
    if (choice.steps && !scheme.traceable)
        throw usage_error(fmt::format("--steps: {} does not show its steps", scheme.facts.name));
    if (choice.steps)
        result.steps = steps_of(fib, table, choice);
    return result;
}
template inspection inspect(const scheme_entry<ipv4_address>&, const any_fib<ipv4_address>&,
                            const routes<ipv4_address>&, const inspection_choice&);
template inspection inspect(const scheme_entry<ipv6_address>&, const any_fib<ipv6_address>&,
                            const routes<ipv6_address>&, const inspection_choice&);

void put_json(bench::json_writer& json, const inspection& facts, const inspection_choice& choice) {
    json.key("parts");
    json.begin_object();
    for (const inspected_part& part : facts.parts)
        json.member(part.name, part.bytes);
    json.end_object();
    json.key("levels");
    json.begin_array();
    for (const inspected_level& level : facts.levels) {
        json.begin_object();
        json.member("nodes", level.nodes);
        json.member("bytes", level.bytes);
        json.key("kinds");
        json.begin_object();
        for (const auto& [kind, nodes] : level.kinds)
            json.member(kind, nodes);
        json.end_object();
        json.end_object();
    }
    json.end_array();
    if (!facts.steps)
        return;
    json.member("workload", choice.workload);
    json.member("addresses", choice.addresses);
    put_counts(json, "steps", facts.steps->steps);
    put_counts(json, "cache_lines", facts.steps->lines);
}

std::string as_text(const inspection& facts, const inspection_choice& choice) {
    std::string out;
    std::size_t whole = 0;
    for (const inspected_part& part : facts.parts)
        whole += part.bytes;
    std::string_view label = "parts";
    for (const inspected_part& part : facts.parts)
        out += fmt::format("{:<11} {:<20} {:>11} bytes {:>6.2f} %\n", std::exchange(label, ""), part.name,
                           part.bytes, 100 * ratio(part.bytes, whole));
    label = "levels";
    for (std::size_t i = 0; i < facts.levels.size(); ++i) {
        const inspected_level& level = facts.levels[i];
        std::vector<std::string> kinds;
        for (const auto& [kind, nodes] : level.kinds)
            kinds.push_back(fmt::format("{} {}", nodes, kind));
        out += fmt::format("{:<11} {:>4} {:>10} nodes {:>11} bytes  {}\n", std::exchange(label, ""), i,
                           level.nodes, level.bytes, fmt::join(kinds, ", "));
    }
    return facts.steps ? out + steps_text(*facts.steps, choice) : out;
}

} // namespace fingerpost::cli
