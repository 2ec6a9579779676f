// `fingerpost diff`: prints the changes that turn one table into another.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "cli/diff/difference_writer.hpp"
#include "cli/diff/table_difference.hpp"
#include "terminal/columns.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct diff_options {
    std::vector<std::string> paths;
    table_choice reading; // all options except the path
    diff_format format = diff_format::text;
    bool exit_code = false;
    std::string out = "-";
};

struct family_difference {
    family kind;
    std::size_t before;
    std::size_t after;
    difference_counts counts;
};

template <class A>
family_difference compare(const io::loaded_table<A>& before, const io::loaded_table<A>& after,
                          const common_columns& columns, difference_writer& writer, std::string& out) {
    const auto counts = for_each_difference(before, after, columns,
                                            [&](const route_difference<A>& d) { writer.add(d, out); });
    return {family_of<A>, before.routes.size(), after.routes.size(), counts};
}

std::string summary_table(const std::vector<family_difference>& families) {
    columns rows({{"family"},
                  {"before", true},
                  {"after", true},
                  {"added", true},
                  {"removed", true},
                  {"changed", true},
                  {"same", true}});
    for (const family_difference& d : families)
        rows.add({std::string(name_of(d.kind)), std::to_string(d.before), std::to_string(d.after),
                  std::to_string(d.counts.added), std::to_string(d.counts.removed),
                  std::to_string(d.counts.changed), std::to_string(d.counts.same)});
    return rows.text();
}

int run(const diff_options& options) {
    table_choice first = options.reading, second = options.reading;
    first.path = options.paths[0];
    second.path = options.paths[1];
    if (first.path == "-" && second.path == "-")
        throw usage_error("diff: the tables cannot both come from stdin");
    const io::both_tables before = load_both(first);
    const io::both_tables after = load_both(second);
    const auto columns = columns_of_both(before, after);
    if (!columns)
        throw failure("diff: " + columns.error());
    difference_writer writer(options.format, columns->names, columns->types);
    // Replay would accept an incomplete list of updates, so nothing is written before the list is complete.
    std::string text;
    writer.begin(text);
    std::vector<family_difference> families;
    const auto add = [&](const auto& old_one, const auto& new_one) {
        if (!old_one.routes.empty() || !new_one.routes.empty())
            families.push_back(compare(old_one, new_one, *columns, writer, text));
    };
    add(before.ipv4, after.ipv4);
    add(before.ipv6, after.ipv6);
    output out(options.out);
    out.write(options.format == diff_format::summary ? summary_table(families) : text);
    out.finish();
    bool differ = false;
    for (const family_difference& d : families) {
        differ = differ || d.counts.has_any();
        if (options.format != diff_format::summary)
            report(fmt::format("{}: {} added, {} removed, {} changed, {} the same", name_of(d.kind),
                               d.counts.added, d.counts.removed, d.counts.changed, d.counts.same));
    }
    return differ && options.exit_code ? exit_code::different : exit_code::ok;
}

} // namespace

command diff_command() {
    auto options = std::make_shared<diff_options>();
    command result{.name = "diff", .summary = "show the difference between two tables"};
    add_reading_options(result, options->reading);
    add_choice<diff_format>(result, "--format", options->format,
                            {{"text", diff_format::text},
                             {"csv", diff_format::csv},
                             {"ndjson", diff_format::ndjson},
                             {"summary", diff_format::summary}},
                            "Output format: updates that `fingerpost replay` reads (text), CSV, one JSON "
                            "object per line, or only "
                            "counts (summary)");
    add_flag(result, "--exit-code", options->exit_code,
             fmt::format("Exit with {} if the tables differ, 0 otherwise", exit_code::different));
    add_output(result, options->out);
    result.rest = {.name = "TABLE",
                   .help = "Old table, then new table; one may be \"-\" (stdin)",
                   .least = 2,
                   .most = 2,
                   .take = [options](const std::string& path) {
                       options->paths.push_back(path);
                       return std::string();
                   }};
    result.examples = {{"fingerpost diff table.txt new.txt > updates.txt",
                        "Write the changes as updates, and counts to stderr"},
                       {"fingerpost diff --format summary table.txt new.txt", "Print only counts"},
                       {"fingerpost diff --exit-code table.txt new.txt > /dev/null || echo changed",
                        "Test in a script whether tables differ"},
                       {"fingerpost aggregate --networks-only new.txt --except table.txt",
                        "Print the networks that only the new table has"}};
    result.run = [options] { return run(*options); };
    return result;
}

} // namespace fingerpost::cli
