// `fingerpost aggregate`: the smallest table with the same answers.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/histogram.hpp"
#include "cli/options.hpp"
#include "cli/route_text.hpp"
#include "cli/smallest_table.hpp"
#include "cli/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct aggregate_options {
    table_choice table;
    std::string out = "-";
};

template <class A>
std::string write_smallest(const io::loaded_table<A>& table, output& out) {
    const std::vector<route<A>> smallest = smallest_table(table);
    for (const route<A>& r : smallest) {
        append_route(r.where, table.values[r.hop], out.text());
        out.spill();
    }
    const std::size_t before = table.routes.size();
    return fmt::format("{}: {} routes before, {} after, {:.1f} % fewer", name_of(family_of<A>), before,
                       smallest.size(), 100 * ratio(before - smallest.size(), before));
}

int run(const aggregate_options& options) {
    io::both_tables tables = load_both(options.table);
    output out(options.out);
    std::vector<std::string> summary;
    for_each_family(tables, options.table,
                    [&](const auto& table) { summary.push_back(write_smallest(table, out)); });
    out.finish();
    for (const std::string& line : summary)
        report(line);
    return exit_code::ok;
}

} // namespace

command aggregate_command() {
    auto options = std::make_shared<aggregate_options>();
    command made{.name = "aggregate", .summary = "print the smallest table that gives the same answers"};
    add_table_options(made, options->table);
    add_file(made, "--output", options->out, "where to; - is stdout").letter = 'o';
    made.examples = {
        {"fingerpost aggregate -t table.txt -o small.txt",
         "as a table, and how much smaller it is on stderr"},
        {"fingerpost diff <(fingerpost aggregate -t table.txt) <(fingerpost aggregate -t new.txt)",
         "nothing exactly when two tables answer alike"}};
    made.run = [options] { return run(*options); };
    return made;
}

} // namespace fingerpost::cli
