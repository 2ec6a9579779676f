// `fingerpost enrich`: rows with the answers to their addresses beside them.
#include <limits>
#include <memory>
#include <string>

#include "cli/enrich/enrich_run.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

using enrich::enrich_options;

// An option that may be given several times; each value is added to a list.
option& add_each(command& to, option facts, std::vector<std::string>& target) {
    facts.may_repeat = true;
    facts.take = [&target](const std::string& text) {
        target.push_back(text);
        return std::string();
    };
    return add_option(to, std::move(facts));
}

// One of several words, without a preset.
template <class T>
void add_optional_choice(command& to, std::string name, std::optional<T>& target,
                         std::vector<std::pair<std::string, T>> choices, std::string preset,
                         std::string help) {
    std::vector<std::string> names;
    for (const auto& [word, value] : choices)
        names.push_back(word);
    add_option(to, {.name = std::move(name),
                    .value = fmt::format("{}", fmt::join(names, "|")),
                    .help = std::move(help),
                    .preset = std::move(preset),
                    .choices = names,
                    .take = [&target, names, choices = std::move(choices)](const std::string& given) {
                        for (const auto& [word, value] : choices)
                            if (word == given)
                                target = value;
                        return refuse_name(given, names);
                    }});
}

void add_input_options(command& to, enrich_options& options) {
    using enrich::row_kind;
    add_optional_choice<row_kind>(
        to, "--format", options.kind,
        {{"csv", row_kind::csv},
         {"tsv", row_kind::tsv},
         {"ndjson", row_kind::ndjson},
         {"lines", row_kind::lines},
         {"log", row_kind::log}},
        "", "of the rows, read and written; else the first line tells (lines: an address a line)");
    option& field =
        add_each(to,
                 {.name = "--field",
                  .value = "NAME|N",
                  .help = "of CSV and TSV: the column with the address, by its name or its number from 1; "
                          "may be given several times"},
                 options.fields);
    field.letter = 'f';
    add_flag(to, "--no-header", options.no_header, "of CSV and TSV: the first row is one like all others");
    add_flag(to, "--no-quotes", options.no_quotes, "of CSV and TSV: a quote is a character like any other");
    add_each(
        to,
        {.name = "--json-field",
         .value = "PATH",
         .help = "of NDJSON: the member with the address, a.b for b within a; may be given several times"},
        options.members);
    add_optional_choice<enrich::log_which>(
        to, "--which", options.which, {{"first", enrich::log_which::first}, {"all", enrich::log_which::all}},
        "first", "of log lines: the address that counts");
    add_text(
        to, "--regex", "RE2", options.regex,
        "of log lines: what matches is the address, or its one group is; without it an address anywhere");
    add_optional_choice<enrich::log_style>(
        to, "--log-style", options.style,
        {{"tab", enrich::log_style::tab}, {"pairs", enrich::log_style::pairs}}, "tab",
        "of log lines: columns behind tabs, or name=value behind blanks");
}

void add_output_options(command& to, enrich_options& options) {
    using enrich::error_policy;
    using enrich::miss_policy;
    option& add =
        add_option(to, {.name = "--add",
                        .value = "COLUMN,...",
                        .help = "what is added, in this order: prefix, address, columns of the table; "
                                "without it the prefix and all of them, behind the address for log lines",
                        .is_list = true});
    add.take = [&options](const std::string& text) { return read_list(text, options.add); };
    add_rename(to, options.table);
    add_choice<miss_policy>(
        to, "--on-miss", options.on_miss,
        {{"empty", miss_policy::empty},
         {"drop", miss_policy::drop},
         {"keep", miss_policy::keep},
         {"error", miss_policy::error}},
        "rows without a match: empty columns, no row, the row as it was, or as empty and told as bad");
    add_choice<error_policy>(
        to, "--on-error", options.on_error,
        {{"null", error_policy::null}, {"drop", error_policy::drop}, {"fail", error_policy::fail}},
        "rows with a field that is no address: empty columns, no row (both told, exit code 3), or the end");
    add_flag(to, "--stats", options.stats, "tell at the end how many rows matched, and how fast it was");
    add_number(to, "--threads", options.threads, {0, 1024}, "that look up; 0 is one for each core");
}

} // namespace

command enrich_command() {
    auto options = std::make_shared<enrich_options>();
    command made{.name = "enrich",
                 .summary = "add the matching prefix and its columns to rows of a file or a pipe"};
    option& table =
        add_each(made,
                 {.name = "--table",
                  .value = "[NAME=]FILE",
                  .help = "as of lookup; several may be given, whose columns then begin with NAME_",
                  .is_file = true,
                  .is_required = true},
                 options->tables);
    table.letter = 't';
    add_family(made, options->table.family, "read only routes of this family");
    add_flag(made, "--strict", options->table.strict, "refuse prefixes with bits set past their length");
    add_input_options(made, *options);
    add_output_options(made, *options);
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
        {"fingerpost enrich -t geo=geo.csv -t bgp=table.txt --add prefix,country < addresses.txt",
         "two tables; only these columns"}};
    made.run = [options] {
        if (options->files.empty())
            options->files.emplace_back("-");
        return enrich::run(*options);
    };
    return made;
}

} // namespace fingerpost::cli
