// `fingerpost aggregate`: the smallest table with the same answers, optionally without some addresses.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/aggregate/set_difference.hpp"
#include "cli/aggregate/smallest_table.hpp"
#include "cli/answers/network_list.hpp"
#include "cli/writers/table_writer.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/histogram.hpp"
#include "terminal/options.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct aggregate_options {
    table_choice table;
    std::vector<std::string> except; // files or lists of networks
    bool networks_only = false;
    table_form form = table_form::automatic;
    std::string out = "-";
};

// The table that an argument of --except names. Its reading options do not affect the other table.
io::both_tables read_excepted(const std::string& word, const table_choice& other) {
    if (auto networks = networks_in(word))
        return std::move(*networks);
    table_choice choice;
    choice.add(word);
    choice.strict = other.strict;
    choice.skip_bad = other.skip_bad;
    return load_both(choice);
}

// Gives all routes the same row, without a value.
template <class A>
void drop_values(io::loaded_table<A>& table) {
    table.values = value_rows();
    const next_hop row = table.values.intern(missing_cell);
    for (route<A>& r : table.routes)
        r.hop = row;
}

template <class A>
const io::loaded_table<A>& of_family(const io::both_tables& tables) {
    if constexpr (A::bits == ipv4_address::bits)
        return tables.ipv4;
    else
        return tables.ipv6;
}

// Replaces the routes by the fewest with the same answers outside `except`. Returns a summary of the counts
// before and after.
template <class A>
std::string make_smallest(io::loaded_table<A>& table, const std::vector<io::both_tables>& except) {
    const std::size_t before = table.routes.size();
    for (const io::both_tables& removed : except)
        table.routes = set_difference<A>(table.routes, of_family<A>(removed).routes);
    table.routes = smallest_table(table);
    const std::size_t after = table.routes.size();
    std::string words = fmt::format("{}: {} {} before, {} after", name_of(family_of<A>), before,
                                    before == 1 ? "route" : "routes", after);
    if (after <= before)
        words += fmt::format(", {:.1f} % fewer", 100 * ratio(before - after, before));
    return words;
}

int run(const aggregate_options& options) {
    const auto from_stdin = std::count(options.except.begin(), options.except.end(), "-");
    if (from_stdin + (options.table.reads_stdin() ? 1 : 0) > 1)
        throw usage_error("aggregate: only one of the tables can come from stdin");
    io::both_tables tables = load_both(options.table);
    std::vector<io::both_tables> except;
    for (const std::string& word : options.except)
        except.push_back(read_excepted(word, options.table));
    if (options.networks_only) {
        drop_values(tables.ipv4);
        drop_values(tables.ipv6);
    }
    std::vector<std::string> summary;
    for_each_family(tables, options.table,
                    [&](auto& table) { summary.push_back(make_smallest(table, except)); });
    output out(options.out);
    write_tables(tables, {.choice = options.table, .networks_only = options.networks_only}, options.form,
                 out);
    out.finish();
    for (const std::string& line : summary)
        report(line);
    return exit_code::ok;
}

} // namespace

command aggregate_command() {
    auto options = std::make_shared<aggregate_options>();
    command result{.name = "aggregate",
                   .summary = "print the smallest equivalent table, or subtract another"};
    add_table_options(result, options->table);
    add_option(result, {.name = "--except",
                        .value = "FILE|NETWORKS",
                        .help = "Leave out the addresses of this table, or of these networks separated by "
                                "commas. May be repeated",
                        .may_repeat = true,
                        .is_file = true,
                        .take = [options](const std::string& word) {
                            options->except.push_back(word);
                            return std::string();
                        }});
    add_flag(result, "--networks-only", options->networks_only,
             "Drop all values: print the shortest list of networks with the same addresses");
    add_table_form(result, "--format", options->form);
    add_output(result, options->out);
    result.examples = {{"fingerpost aggregate -t table.txt -o small.txt", "Write a smaller equivalent table"},
                       {"fingerpost aggregate --networks-only -t table.txt --except 10.0.0.0/8,fc00::/7",
                        "Print the networks of a table without private addresses"},
                       {"fingerpost diff <(fingerpost aggregate a.txt) <(fingerpost aggregate b.txt)",
                        "Compare answers instead of routes: prints nothing if they are equal"}};
    result.run = [options] { return run(*options); };
    return result;
}

} // namespace fingerpost::cli
