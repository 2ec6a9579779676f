// `fingerpost aggregate`: the smallest table with the same answers.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "cli/aggregate/smallest_table.hpp"
#include "cli/writers/table_writer.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/histogram.hpp"
#include "terminal/options.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct aggregate_options {
    table_choice table;
    table_form form = table_form::automatic;
    std::string out = "-";
};

// Replaces the table by the smallest one and says how much smaller it is.
template <class A>
std::string make_smallest(io::loaded_table<A>& table) {
    const std::size_t before = table.routes.size();
    table.routes = smallest_table(table);
    const std::size_t after = table.routes.size();
    return fmt::format("{}: {} routes before, {} after, {:.1f} % fewer", name_of(family_of<A>), before, after,
                       100 * ratio(before - after, before));
}

int run(const aggregate_options& options) {
    io::both_tables tables = load_both(options.table);
    std::vector<std::string> summary;
    for_each_family(tables, options.table, [&](auto& table) { summary.push_back(make_smallest(table)); });
    output out(options.out);
    write_tables(tables, {options.table}, options.form, out);
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
    add_table_form(made, "--format", options->form);
    add_file(made, "--output", options->out, "output file; - is stdout").letter = 'o';
    made.examples = {
        {"fingerpost aggregate -t table.txt -o small.txt",
         "as a table, and how much smaller it is on stderr"},
        {"fingerpost diff <(fingerpost aggregate -t table.txt) <(fingerpost aggregate -t new.txt)",
         "nothing exactly when two tables answer alike"}};
    made.run = [options] { return run(*options); };
    return made;
}

} // namespace fingerpost::cli
