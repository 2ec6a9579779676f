// `fingerpost enrich`: rows with the answers to their addresses beside them.
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cli/enrich/enrich_run.hpp"
#include "cli/enrich/input_options.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

using enrich::enrich_options;

void add_output_options(command& to, enrich_options& options) {
    using enrich::error_policy;
    using enrich::log_style;
    using enrich::miss_policy;
    option& add =
        add_option(to, {.name = "--add",
                        .value = "COLUMN,...",
                        .help = "what is added, in this order: prefix, address, columns of the table; "
                                "without it the prefix and all of them, behind the address for log lines; "
                                "'' adds nothing, to select rows alone",
                        .is_list = true,
                        .may_be_empty = true});
    add.take = [&options](const std::string& text) {
        options.adds_nothing = text.empty();
        return text.empty() ? std::string() : read_list(text, options.add);
    };
    add_rename(to, options.table);
    add_choice<std::optional<log_style>>(to, "--log-style", options.style,
                                         {{"tab", log_style::tab}, {"pairs", log_style::pairs}},
                                         "Log lines: append tab-separated columns, or name=value pairs")
        .preset = "tab";
    add_text(
        to, "--nest", "PATH", options.nest,
        "of NDJSON: the object that members are added in, such as source.as; made where a row has it not");
    add_choice<miss_policy>(
        to, "--on-miss", options.on_miss,
        {{"empty", miss_policy::empty},
         {"drop", miss_policy::drop},
         {"keep", miss_policy::keep},
         {"error", miss_policy::error},
         {"only", miss_policy::only}},
        "rows without a match: empty columns, no row, the row as it was, as empty and told as bad, or only "
        "rows whose address has no match");
    add_choice<error_policy>(
        to, "--on-error", options.on_error,
        {{"null", error_policy::null}, {"drop", error_policy::drop}, {"fail", error_policy::fail}},
        "rows with an invalid address: empty columns, no row (both told, exit code 3), or the end");
    add_flag(to, "--stats", options.stats, "tell at the end how many rows matched, and how fast it was");
    add_number(to, "--threads", options.threads, {0, 1024}, "that look up; 0 is one for each core");
}

// Which rows are written, or counts instead of them.
void add_selection_options(command& to, enrich_options& options) {
    option& where =
        add_option(to, {.name = "--where",
                        .value = "COLUMN=VALUE",
                        .help = "only rows whose answer has this value, or with != has another one; may be "
                                "given several times, then all must hold",
                        .may_repeat = true});
    where.take = [&options](const std::string& text) { return read_condition(text, options.where); };
    option& count =
        add_text(to, "--count-by", "COLUMN", options.count_by,
                 "instead of rows, the values of this column with how many addresses have them, and "
                 "their share, the most frequent first");
    count.excludes = "--add";
    option& top = add_number(to, "--top", options.top, {1, std::numeric_limits<std::uint64_t>::max()},
                             "so many values of --count-by at most");
    top.needs = "--count-by";
    top.preset = "all";
    option& output = add_file(to, "--output", options.output,
                              "the output; written in gzip, bzip2, xz or zstd if the name ends in .gz, .bz2, "
                              ".xz or .zst; - is stdout");
    output.letter = 'o';
}

} // namespace

command enrich_command() {
    auto options = std::make_shared<enrich_options>();
    command made{.name = "enrich",
                 .summary = "add the matching prefix and its columns to rows of a file or a pipe"};
    add_table_options(made, options->table);
    enrich::add_input_options(made, *options, "first");
    add_output_options(made, *options);
    add_selection_options(made, *options);
    option& scheme = add_name(made, "--scheme", options->scheme, scheme_names(),
                              "what looks up; all schemes give the same answers", hidden_scheme_names());
    scheme.preset = default_scheme<ipv6_address>().facts.name;
    made.rest = {.name = "FILE",
                 .help = "rows, also gz, bz2, xz or zst; - or none: stdin",
                 .most = std::numeric_limits<std::size_t>::max(),
                 .take = [options](const std::string& path) {
                     options->files.push_back(path);
                     return std::string();
                 }};
    made.examples = {
        {"fingerpost enrich -t table.txt --field src --field dst flows.csv", "two columns of a CSV file"},
        {"zcat log.gz | fingerpost enrich -t table.txt --json-field client.ip", "a member of NDJSON"},
        {"fingerpost enrich -t table.txt --format log access.log", "the first address of each log line"},
        {"fingerpost enrich -t geo.csv --format log --count-by country --top 10 access.log",
         "the ten most frequent countries of a log"},
        {"fingerpost enrich -t geo.csv --json-field client.ip --nest client.geo -o rows.json.gz rows.json",
         "answers in an object within client, compressed"},
        {"fingerpost enrich -t geo=geo.csv -t bgp=table.txt --add prefix,country < addresses.txt",
         "two tables; only these columns"}};
    made.run = [options] {
        if (!options->count_by.empty() && !options->nest.empty())
            throw usage_error("--count-by: cannot be used with --nest");
        if (options->adds_nothing && !options->nest.empty())
            throw usage_error("--nest: there is nothing to nest with --add ''");
        if (!options->where.empty() && options->on_miss == enrich::miss_policy::only)
            throw usage_error("--where: cannot be used with --on-miss only, whose rows have no answers");
        if (options->files.empty())
            options->files.emplace_back("-");
        return enrich::run(*options);
    };
    return made;
}

} // namespace fingerpost::cli
