// `fingerpost replay`: applies recorded updates to a live table and reports times and changes.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/replay/replayer.hpp"
#include "cli/replay/write_table.hpp"
#include "io/source/file.hpp"
#include "terminal/console.hpp"
#include "terminal/ending_signals.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct replay_options {
    table_choice table;
    std::string scheme;
    io::mrt_choice of_mrt;
    std::optional<io::update_format> format;
    bool real_time = false;
    double speed = 1;
    std::optional<batch_rule> batch;
    double every = 0;
    std::size_t limit = 10;
    std::string out;
    table_form form = table_form::automatic;
    report_format words = report_format::text;
    std::vector<std::string> updates;
};

struct start_table {
    io::both_tables tables;
    bool is_damaged = false;
};

start_table load_start(const replay_options& options) {
    const table_choice& table = options.table;
    if (table.path.empty()) {
        const auto columns = io::columns_of(options.of_mrt.values);
        return {{{{}, value_rows(columns), {}}, {{}, value_rows(columns), {}}}, false};
    }
    if (table.has_several())
        return {load_both(table), false};
    io::table_input input = open_table(table);
    if (input.format() != io::table_format::mrt)
        return {load_both(std::move(input), table), false};
    io::read_options how = reading_of(table);
    how.table = {.only = table.only()};
    how.mrt = options.of_mrt;
    bool is_damaged = false;
    how.on_recorded = [&, report_recorded = how.on_recorded](const io::mrt_report& report) {
        report_recorded(report);
        is_damaged = report.counted.damaged != 0;
    };
    auto tables = std::move(input).read_both(how);
    if (!tables)
        throw failure(io::message(tables.error()));
    return {std::move(*tables), is_damaged};
}

// Reports the skipped parts of a stream.
void report_passed_over(const std::string& file, const io::update_result& read) {
    using io::mrt::skipped;
    const auto report_count = [&](std::uint64_t count, std::string_view what) {
        if (count != 0)
            report(fmt::format("{}: {} {}", file, count, what));
    };
    report_count(read.other_peers, "updates of other peers skipped");
    report_count(read.sent, "updates that the recording router sent itself skipped");
    report_count(read.multicast, "entries of multicast routes skipped");
    report_count(read.routes, "entries of a table skipped; use -t to start from it");
    report_count(read.masked, "updates had bits set past the prefix length; they were cleared");
    for (const skipped kind : {skipped::other_record, skipped::other_family, skipped::other_message})
        report_count(read.counted[kind], fmt::format("{} skipped", name_of(kind)));
    if (read.peers > 1)
        report(fmt::format("{}: updates of several peers are applied as if from one; choose one with --peer",
                           file));
}

// Throws failure if the file cannot be read or contains no updates.
void read_file(const std::string& path, const replay_options& options, replayer& into) {
    const std::string file = path == "-" ? "stdin" : path;
    if (path == "-" && is_terminal(STDIN_FILENO))
        report("reading updates from the terminal, one per line; end with Ctrl-D");
    into.set_file(file);
    const host_bits policy = options.table.strict ? host_bits::refuse : host_bits::mask;
    const auto read = io::read_updates(path, {options.of_mrt, policy, options.format}, into);
    into.damage().report_sum(read.counted.damaged, read.counted.damaged_bytes);
    report_passed_over(file, read);
    if (read.error)
        throw failure(io::message(*read.error));
    if (read.format == io::update_format::mrt && read.counted.records == 0)
        throw failure(io::message({file, 0, {}, "the file has no MRT records"}));
}

void check(const replay_options& options) {
    const auto& files = options.updates;
    const auto from_stdin = static_cast<std::size_t>(std::count(files.begin(), files.end(), "-")) +
                            (options.table.path == "-" ? 1 : 0);
    if (from_stdin > 1)
        throw usage_error("replay: only one of the table and the updates can come from stdin");
}

int run(const replay_options& options) {
    check(options);
    // If the table goes to stdout, all messages go to stderr.
    const bool words_apart = options.out == "-";
    output out;
    const auto print = [&](const std::string& words) {
        std::size_t at = 0;
        for (std::size_t end; words_apart && (end = words.find('\n', at)) != std::string::npos; at = end + 1)
            report(words.substr(at, end - at));
        if (!words_apart) {
            out.write(words);
            out.flush();
        }
    };
    start_table start = load_start(options);
    replay_settings settings{.only = options.table.only(), .scheme = options.scheme, .every = options.every};
    if (options.real_time)
        settings.pace = pacer(options.speed);
    settings.batch =
        options.batch.value_or(options.real_time ? batch_rule::by_time() : batch_rule::by_size(1000));
    settings.is_stopped = is_end_asked;
    settings.report = [&](const replay_statistics& now, const replay_counts& before, double seconds) {
        print(interval(now, before, seconds, options.words));
    };
    replayer all_tables(std::move(start.tables), std::move(settings));
    end_early_on_signals();
    try {
        for (const std::string& path : options.updates)
            read_file(path, options, all_tables);
    } catch (const replay_stopped&) {
        report("stopped before the end of the updates");
    }
    const replay_statistics done = all_tables.finish(options.limit);
    if (all_tables.other_family() != 0)
        report(fmt::format("{} updates of the other family skipped", all_tables.other_family()));
    if (!options.out.empty())
        write_table(all_tables, options.out, options.form);
    print(total(done, options.words));
    const bool is_whole = done.damaged_records == 0 && done.bad_lines == 0 && !start.is_damaged;
    return is_whole ? exit_code::ok : exit_code::bad_rows;
}

void add_what(command& to, replay_options& options) {
    add_table_file(to, options.table).help = "Initial table (default: empty)";
    add_family(to, options.table.family, "Use only IPv4 (4) or IPv6 (6) routes");
    add_flag(to, "--strict", options.table.strict, "Reject prefixes with host bits set, such as 10.0.0.1/8");
    option& peer = add_peer(to, options.of_mrt.peer);
    peer.help = "MRT: use only routes and updates of this peer, an address or an AS such as AS64500";
    peer.preset = "the best routes, and the updates of all peers as if from one";
    add_choice<io::mrt_values>(to, "--columns", options.of_mrt.values,
                               {{"next_hop", io::mrt_values::next_hop},
                                {"peer", io::mrt_values::peer},
                                {"origin_as", io::mrt_values::origin_as},
                                {"all", io::mrt_values::all}},
                               "MRT: value to store for each route");
    add_option(to, {.name = "--input-format",
                    .value = "mrt|text",
                    .help = "Format of the updates",
                    .preset = "detected",
                    .choices = {"mrt", "text"},
                    .take = [&options](const std::string& name) {
                        options.format = name == "mrt" ? io::update_format::mrt : io::update_format::text;
                        return refuse_name(name, std::vector<std::string>{"mrt", "text"});
                    }});
    add_scheme(to, options.scheme, "Lookup scheme; a family that it does not support uses the default");
}

void add_how(command& to, replay_options& options) {
    add_flag(to, "--real-time", options.real_time, "Replay at recorded speed");
    add_real(to, "--speed", options.speed, 1e-3, 1e9, "Speed-up factor for --real-time").needs =
        "--real-time";
    add_option(to, {.name = "--batch",
                    .value = "N|time",
                    .help = fmt::format(
                        "Changes per commit: a number up to {}, or \"time\" for all with one time stamp",
                        batch_rule::most),
                    .preset = "1000; time with --real-time",
                    .choices = {"time"},
                    .take = [&options](const std::string& text) -> std::string {
                        if (text == "time") {
                            options.batch = batch_rule::by_time();
                            return {};
                        }
                        std::uint64_t number = 0;
                        const std::string reason = read_number(text, {1, batch_rule::most}, number);
                        options.batch = batch_rule::by_size(number);
                        return reason;
                    }});
}

void add_results(command& to, replay_options& options) {
    add_real(to, "--every", options.every, 1e-3, 1e9, "Print progress every NUMBER seconds").preset.clear();
    add_number(to, "--limit", options.limit, {0, 1'000'000}, "Print the N prefixes that changed most");
    add_choice<report_format>(to, "--format", options.words,
                              {{"text", report_format::text}, {"json", report_format::json}},
                              "Format of the statistics; JSON is an object per line");
    add_output(to, options.out, "Write the resulting table to FILE; with \"-\", statistics go to stderr");
    add_table_form(to, "--output-format", options.form).needs = "--output";
}

} // namespace

command replay_command() {
    auto options = std::make_shared<replay_options>();
    command result{.name = "replay", .summary = "apply recorded route updates to a table"};
    add_what(result, *options);
    add_how(result, *options);
    add_results(result, *options);
    add_arguments(result, "UPDATES", options->updates,
                  "Updates to apply, in order: MRT files, or text as `fingerpost diff` prints it (`A prefix "
                  "next_hop`, `W prefix`)",
                  {1});
    result.examples = {
        {"fingerpost replay -t table.txt updates.txt -o after.txt", "Apply updates to a table"},
        {"fingerpost replay -t rib.mrt --peer 192.0.2.1 updates.mrt", "Follow one peer"},
        {"fingerpost replay -t table.txt updates.txt --real-time --speed 60 --every 10",
         "Replay an hour in a minute, with progress every ten seconds"}};
    result.run = [options] { return run(*options); };
    return result;
}

} // namespace fingerpost::cli
