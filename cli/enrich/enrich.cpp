// `fingerpost enrich`: adds answers to rows with addresses.
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cli/answers/in_order.hpp"
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
    option& columns = add_option(to, {.name = "--columns",
                                      .value = "COLUMN,...",
                                      .help = "Columns to add; '' adds none",
                                      .preset = "prefix, all",
                                      .is_list = true,
                                      .may_be_empty = true});
    columns.take = [&options](const std::string& text) {
        options.adds_nothing = text.empty();
        return text.empty() ? std::string() : read_list(text, options.add);
    };
    add_rename(to, options.table).help = "Rename columns in the output";
    add_text(to, "--nest", "PATH", options.nest, "JSON: put the new members in this object");
    add_choice<std::optional<log_style>>(to, "--log-style", options.style,
                                         {{"tab", log_style::tab}, {"pairs", log_style::pairs}},
                                         "Log lines: tab-separated or pairs")
        .preset = "tab";
    add_choice<miss_policy>(to, "--on-miss", options.on_miss,
                            {{"empty", miss_policy::empty},
                             {"drop", miss_policy::drop},
                             {"keep", miss_policy::keep},
                             {"error", miss_policy::error},
                             {"only", miss_policy::only}},
                            "Rows without a match: empty columns (empty), drop, "
                            "keep, error, or only these (only)")
        .value = "ACTION";
    add_choice<error_policy>(
        to, "--on-error", options.on_error,
        {{"null", error_policy::null}, {"drop", error_policy::drop}, {"fail", error_policy::fail}},
        "Bad rows: empty (null), drop or fail")
        .value = "ACTION";
}

// Options that select rows, or count them.
void add_selection_options(command& to, enrich_options& options) {
    option& where = add_option(to, {.name = "--where",
                                    .value = "COLUMN=VALUE",
                                    .help = "Keep rows where COLUMN is VALUE, or with != is not",
                                    .may_repeat = true});
    where.take = [&options](const std::string& text) { return read_condition(text, options.where); };
    add_text(to, "--count-by", "COLUMN", options.count_by, "Count by COLUMN or \"address\" (empty: no match)")
        .excludes = "--columns";
    option& limit = add_number(to, "--limit", options.limit, {1, std::numeric_limits<std::uint64_t>::max()},
                               "Print only the N most frequent values");
    limit.needs = "--count-by";
    limit.preset.clear();
    add_output(to, options.output, "Write to FILE; .gz or .zst compresses it");
    add_flag(to, "--stats", options.stats, "Print a summary to stderr: rows, matches, speed");
    add_threads(to, options.threads);
}

} // namespace

command enrich_command() {
    auto options = std::make_shared<enrich_options>();
    command result{.name = "enrich",
                   .summary =
                       "add the matching prefix and its values to each row of a log, CSV or JSON file"};
    add_table_options(result, options->table);
    // An option of enrich chooses the columns to add.
    std::erase_if(result.options, [](const option& o) { return o.name == "--columns"; });
    enrich::add_input_options(result, *options, "first");
    add_output_options(result, *options);
    add_selection_options(result, *options);
    add_scheme(result, options->scheme, "Lookup scheme");
    result.rest = {.name = "FILE",
                   .help = "Input files, plain or compressed (default: stdin)",
                   .most = std::numeric_limits<std::size_t>::max(),
                   .take = [options](const std::string& path) {
                       options->files.push_back(path);
                       return std::string();
                   }};
    result.examples = {
        {"fingerpost enrich -t table.txt -f src -f dst flows.csv", "Look up two columns of a CSV file"},
        {"fingerpost enrich -t geo.csv --count-by country --limit 10 access.log",
         "List the ten most frequent countries of a log"}};
    result.run = [options] {
        if (!options->count_by.empty() && !options->nest.empty())
            throw usage_error("--count-by: cannot be used with --nest");
        if (options->adds_nothing && !options->nest.empty())
            throw usage_error("--nest: there is nothing to nest with --columns ''");
        if (!options->where.empty() && options->on_miss == enrich::miss_policy::only)
            throw usage_error("--where: cannot be used with --on-miss only, whose rows have no answers");
        if (options->files.empty())
            options->files.emplace_back("-");
        return enrich::run(*options);
    };
    return result;
}

} // namespace fingerpost::cli
