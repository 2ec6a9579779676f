// `fingerpost grep`: the lines whose addresses are in a table, or in none of its networks.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/enrich/enrich_run.hpp"
#include "cli/enrich/input_options.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/parts/table_data.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

using enrich::enrich_options;

struct grep_options {
    enrich_options rows;
    std::string networks; // the first argument; empty if --table names the table
    bool inverts = false;
    bool counts = false;
};

// Prefixes and addresses with commas between them; nothing if one is none, as in the name of a file.
std::optional<std::vector<any_prefix>> read_networks(std::string_view text) {
    std::vector<any_prefix> made;
    for (;;) {
        const std::size_t comma = text.find(',');
        const auto one = parse_prefix(text.substr(0, comma));
        if (!one)
            return std::nullopt;
        made.push_back(*one);
        if (comma == std::string_view::npos)
            return made;
        text.remove_prefix(comma + 1);
    }
}

enrich::open_tables table_of(const std::vector<any_prefix>& networks, const enrich_options& options) {
    io::table_builder builder({.both = true});
    const std::string_view no_value;
    for (const any_prefix& one : networks)
        std::visit([&](const auto& p) { builder.add(p, std::span(&no_value, 1)); }, one);
    enrich::open_tables made;
    made.owned.push_back(std::make_unique<answer_table>(std::move(builder).finish_both(networks.size()),
                                                        options.table, options.scheme));
    made.named.push_back({"networks", made.owned.back().get()});
    return made;
}

enrich::open_tables tables_of(const grep_options& options) {
    if (const auto networks = read_networks(options.networks))
        return table_of(*networks, options.rows);
    return enrich::load_tables(options.rows);
}

// The first argument is the table unless --table names one; all others are files.
void share_arguments(grep_options& options) {
    auto& files = options.rows.files;
    auto& table = options.rows.table;
    if (table.files.empty()) {
        if (files.empty())
            throw usage_error("grep: TABLE is missing: a file, or networks such as 10.0.0.0/8,2001:db8::/32");
        options.networks = files.front();
        files.erase(files.begin());
        if (!read_networks(options.networks))
            table.add(options.networks);
    }
    if (files.empty())
        files.emplace_back("-");
    if (table.reads_stdin() && std::find(files.begin(), files.end(), "-") != files.end())
        throw usage_error("grep: the table and the lines cannot both come from stdin");
}

int run(grep_options& options) {
    share_arguments(options);
    enrich_options& rows = options.rows;
    if (!rows.kind && rows.fields.empty() && rows.members.empty())
        rows.kind = enrich::row_kind::log;
    if (!rows.which)
        rows.which = enrich::which_address::all;
    rows.adds_nothing = true;
    rows.on_miss = options.inverts ? enrich::miss_policy::inverse : enrich::miss_policy::select;
    if (options.counts || rows.ends_at_first)
        rows.writes_rows = false;
    const enrich::rows_outcome done = enrich::run(rows, tables_of(options));
    if (options.counts) {
        output out("-");
        out.text() = fmt::format("{}\n", done.selected);
        out.finish();
    }
    if (done.code != exit_code::ok)
        return done.code;
    return done.selected == 0 ? exit_code::no_match : exit_code::ok;
}

} // namespace

command grep_command() {
    auto options = std::make_shared<grep_options>();
    enrich_options& rows = options->rows;
    command made{.name = "grep", .summary = "print lines that contain an address from a list of networks"};
    add_flag(made, "--invert-match", options->inverts, "print the other lines instead").letter = 'v';
    option& count = add_flag(made, "--count", options->counts, "print only how many lines would be printed");
    count.letter = 'c';
    option& quiet = add_flag(made, "--quiet", rows.ends_at_first,
                             "print nothing and end at the first such line; the exit code is the answer");
    quiet.letter = 'q';
    quiet.excludes = "--count";
    enrich::add_input_options(made, rows, "all");
    option& table = add_table_file(made, rows.table);
    take_several(table, rows.table);
    table.is_required = false;
    table.help = "the table, instead of the first argument; may be given several times: an address counts "
                 "that is in one of them";
    add_reading_options(made, rows.table);
    made.rest = {.name = "TABLE|FILE",
                 .help = "a table as of lookup, or networks with commas between them; then files with lines, "
                         "also gz, bz2, xz or zst; - or none: stdin",
                 .most = std::numeric_limits<std::size_t>::max(),
                 .take = [options](const std::string& word) {
                     options->rows.files.push_back(word);
                     return std::string();
                 }};
    made.examples = {{"fingerpost grep 10.0.0.0/8,2001:db8::/32 access.log", "lines with such an address"},
                     {"fingerpost grep -v 192.0.2.0/24 access.log", "lines without one"},
                     {"zcat log.gz | fingerpost grep -c table.txt", "how many lines have one"}};
    made.run = [options] { return run(*options); };
    return made;
}

} // namespace fingerpost::cli
