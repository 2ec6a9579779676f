// `fingerpost grep`: prints the lines with an address in a table, or without one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/answers/in_order.hpp"
#include "cli/answers/network_list.hpp"
#include "cli/enrich/enrich_run.hpp"
#include "cli/enrich/input_options.hpp"
#include "io/format/parts/table_data.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/named_tables.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

using enrich::enrich_options;

struct grep_options {
    enrich_options rows;
    std::optional<io::both_tables> networks; // the first argument, if it lists networks
    bool inverts = false;
    bool counts = false;
    bool lists_files = false;
    bool no_filename = false;
};

// Each file is a separate table. A match in one of them is enough, so their columns may differ.
enrich::open_tables tables_of(grep_options& options) {
    std::vector<file_group> groups;
    for (const table_file& file : options.rows.table.files)
        groups.push_back({.paths = {file.path}});
    if (!options.networks)
        return enrich::load_tables(options.rows, groups);
    enrich::open_tables tables;
    tables.owned.push_back(std::make_unique<answer_table>(std::move(*options.networks), options.rows.table,
                                                          options.rows.scheme));
    tables.named.push_back({"networks", tables.owned.back().get()});
    return tables;
}

// The first argument is the table unless --table is given. All others are files.
void share_arguments(grep_options& options) {
    auto& files = options.rows.files;
    auto& table = options.rows.table;
    if (table.files.empty()) {
        if (files.empty())
            throw usage_error("grep: no networks; give a file, or a list such as 10.0.0.0/8,2001:db8::/32");
        options.networks = networks_in(files.front());
        if (!options.networks)
            table.add(files.front());
        files.erase(files.begin());
    }
    if (files.empty())
        files.emplace_back("-");
    if (table.reads_stdin() && std::find(files.begin(), files.end(), "-") != files.end())
        throw usage_error("grep: the table and the lines cannot both come from stdin");
}

// Invalid rows and missing members of code file must be reported even if another file is fine.
int worse(int code, int other) {
    return code == exit_code::failed || other == exit_code::ok ? code : other;
}

// Searches file by file, to print names or counts. Reports files that cannot be read and continues.
int run_each(const grep_options& options, const enrich::open_tables& tables) {
    output out("-");
    std::uint64_t selected = 0;
    int code = exit_code::ok;
    enrich_options rows = options.rows;
    for (const std::string& file : options.rows.files) {
        rows.files = {file};
        enrich::rows_outcome outcome;
        try {
            outcome = enrich::run(rows, tables);
        } catch (const failure& error) {
            report(error.what());
            code = exit_code::failed;
            continue;
        }
        selected += outcome.selected;
        code = worse(code, outcome.code);
        const std::string name = file == "-" ? "stdin" : file;
        if (options.counts)
            out.text() += (rows.form.has_file ? name + ":" : "") + std::to_string(outcome.selected) + '\n';
        else if (options.lists_files && outcome.selected != 0)
            out.text() += name + '\n';
        out.flush();
    }
    out.finish();
    return code != exit_code::ok ? code : selected == 0 ? exit_code::no_match : exit_code::ok;
}

int run(grep_options& options) {
    share_arguments(options);
    enrich_options& rows = options.rows;
    if (!rows.kind && rows.fields.empty())
        rows.kind = enrich::row_kind::log;
    if (!rows.which)
        rows.which = enrich::which_address::all;
    rows.adds_nothing = true;
    rows.on_miss = options.inverts ? enrich::miss_policy::inverse : enrich::miss_policy::select;
    // CSV rows and JSON documents of several files form one sequence; lines do not.
    const bool has_lines = rows.kind == enrich::row_kind::log || rows.kind == enrich::row_kind::lines;
    rows.form.ends_line = has_lines && rows.files.size() > 1;
    rows.form.has_file = (rows.form.has_file || rows.files.size() > 1) && !options.no_filename;
    rows.stops_at_first = options.lists_files;
    rows.writes_rows = !options.counts && !options.lists_files && !rows.ends_at_first;
    const enrich::open_tables tables = tables_of(options);
    if (rows.form.has_file || options.counts || options.lists_files || rows.form.ends_line)
        return run_each(options, tables);
    const enrich::rows_outcome done = enrich::run(rows, tables);
    if (done.code != exit_code::ok)
        return done.code;
    return done.selected == 0 ? exit_code::no_match : exit_code::ok;
}

} // namespace

command grep_command() {
    auto options = std::make_shared<grep_options>();
    enrich_options& rows = options->rows;
    command result{.name = "grep", .summary = "print lines that contain an address in the given networks"};
    add_flag(result, "--invert-match", options->inverts, "Print lines that do not match").letter = 'v';
    add_flag(result, "--only-matching", rows.form.only_addresses, "Print only the addresses, one per line")
        .letter = 'o';
    add_flag(result, "--line-number", rows.form.has_number, "Print the line number before each line").letter =
        'n';
    add_flag(result, "--with-filename", rows.form.has_file,
             "Print the file name before each line (default with several files)")
        .letter = 'H';
    add_flag(result, "--no-filename", options->no_filename, "Never print file names").excludes =
        "--with-filename";
    option& list = add_flag(result, "--files-with-matches", options->lists_files,
                            "Print only the names of files with a match");
    list.letter = 'l';
    list.excludes = "--count";
    add_flag(result, "--count", options->counts, "Print only the number of matching lines of each file")
        .letter = 'c';
    option& quiet = add_flag(result, "--quiet", rows.ends_at_first,
                             "Print nothing; exit with 0 at the first match, with 1 if there is none");
    quiet.letter = 'q';
    quiet.excludes = "--count";
    enrich::add_input_options(result, rows, "all");
    add_threads(result, rows.threads);
    option& table = add_table_file(result, rows.table);
    take_several(table, rows.table);
    table.is_required = false;
    table.help = "Take the networks from FILE instead of the first argument. May be repeated";
    add_reading_options(result, rows.table);
    // These options choose values, and lines get no values.
    std::erase_if(result.options, [](const option& o) {
        return o.name == "--columns" || o.name == "--type" || o.name == "--aliases";
    });
    result.rest = {.name = "NETWORKS|FILE",
                   .help =
                       "First argument: networks separated by commas, or a file with a table. Others: files "
                       "to search, plain or compressed (default: stdin).",
                   .most = std::numeric_limits<std::size_t>::max(),
                   .take = [options](const std::string& word) {
                       options->rows.files.push_back(word);
                       return std::string();
                   }};
    result.examples = {
        {"fingerpost grep 10.0.0.0/8,2001:db8::/32 access.log",
         "Print lines with an address in these networks"},
        {"fingerpost grep -v 192.0.2.0/24 access.log", "Print lines without one"},
        {"zcat log.gz | fingerpost grep -c table.txt", "Count lines with an address in a table"},
        {"fingerpost grep -o table.txt access.log | sort -u", "List the distinct addresses"}};
    result.run = [options] { return run(*options); };
    return result;
}

} // namespace fingerpost::cli
