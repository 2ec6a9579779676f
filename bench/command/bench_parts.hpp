// Common parts of the benchmark commands: lists of workloads, notes and results.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/command/bench_commands.hpp"
#include "bench/measured/lookup_result.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {

// Workloads for a help text, one per line. `Facts` have a name and a summary.
template <class Facts>
std::string workload_help(std::span<const Facts> facts) {
    std::size_t width = 0;
    for (const Facts& entry : facts)
        width = std::max(width, entry.name.size());
    std::string text = "Workloads:\n";
    for (const Facts& entry : facts)
        text += fmt::format("  {:<{}}  {}\n", entry.name, width, entry.summary);
    return text;
}

template <class Facts>
std::vector<std::string> workload_names(std::span<const Facts> facts) {
    std::vector<std::string> names;
    for (const Facts& entry : facts)
        names.emplace_back(entry.name);
    return names;
}

// Prints notes on stderr and adds them to the result.
template <class Report>
void add_notes(Report& to, std::vector<std::string> notes, const std::vector<std::string>& wrong) {
    for (const std::string& words : notes)
        report(words);
    for (const std::string& words : wrong)
        report(words);
    to.circumstances.notes = std::move(notes);
}

// Options for writing the result of a benchmark.
struct result_form {
    bool is_json = false;
    std::string out = "-";
};

inline void add_result_options(command& to, result_form& form) {
    add_json(to, form.is_json);
    add_output(to, form.out, "Write to FILE; with JSON, the table for people still goes to stdout");
}

class bench_output {
  public:
    // Opens the file now, so that a result that takes minutes is not lost because it cannot be written.
    explicit bench_output(const result_form& form)
        : is_json_(form.is_json), shows_table_(form.is_json && form.out != "-"), out_(form.out) {}

    // Adds the settings to the result and writes it. Returns a failure code if an answer was wrong.
    template <class Report, class Settings>
    int give(Report report, const Settings& settings) {
        bench::environment& e = report.circumstances;
        e.version = FINGERPOST_VERSION;
        e.command_line = own_command_line();
        e.pinned = settings.cpus;
        e.addresses = settings.addresses;
        e.rounds = settings.rounds;
        e.round_ms = settings.round_ms;
        e.seed = settings.seed;
        out_.write(is_json_ ? to_json(report) : to_text(report));
        out_.finish();
        if (shows_table_) {
            output table;
            table.write(to_text(report));
            table.finish();
        }
        return report.all_right() ? exit_code::ok : exit_code::failed;
    }

  private:
    bool is_json_;
    bool shows_table_;
    output out_;
};

} // namespace fingerpost::cli
