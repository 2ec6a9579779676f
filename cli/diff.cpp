// `fingerpost diff`: the changes that make one table another.
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/columns.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "cli/quoting.hpp"
#include "cli/table_choice.hpp"
#include "cli/table_difference.hpp"
#include "io/format/input_error.hpp"

namespace fingerpost::cli {
namespace {

enum class diff_format : std::uint8_t { text, csv, ndjson, summary };

struct diff_options {
    std::vector<std::string> paths;
    table_choice reading; // all but the path
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

std::string_view name_of(difference_kind kind) {
    return kind == difference_kind::added     ? "added"
           : kind == difference_kind::removed ? "removed"
                                              : "changed";
}

template <class A>
void append_csv_row(const route_difference<A>& d, std::string& out) {
    fmt::format_to(std::back_inserter(out), "{},{},", name_of(d.kind), to_string(d.where));
    append_csv_field(out, d.before);
    out += ',';
    append_csv_field(out, d.after);
    out += '\n';
}

// Where there is no route the next hop is null.
template <class A>
void append_object(const route_difference<A>& d, std::string& out) {
    const auto append = [&](bool is_route, std::string_view hop) {
        if (is_route)
            append_json_string(out, hop);
        else
            out += "null";
    };
    fmt::format_to(std::back_inserter(out), R"({{"change":"{}","prefix":"{}","before":)", name_of(d.kind),
                   to_string(d.where));
    append(d.kind != difference_kind::added, d.before);
    out += R"(,"after":)";
    append(d.kind != difference_kind::removed, d.after);
    out += "}\n";
}

// Updates as text have no quotes.
template <class A>
void refuse_several_words(const route_difference<A>& d) {
    if (d.kind != difference_kind::removed && d.after.find_first_of(" \t,#\r\n") != std::string_view::npos)
        throw failure(
            fmt::format("{} {}: this value cannot be written as text; choose --format csv or ndjson",
                        to_string(d.where), io::quoted(d.after)));
}

template <class A>
void append_as(diff_format format, const route_difference<A>& d, std::string& out) {
    switch (format) {
    case diff_format::text:
        refuse_several_words(d);
        return append_update(d, out);
    case diff_format::csv:
        return append_csv_row(d, out);
    case diff_format::ndjson:
        return append_object(d, out);
    case diff_format::summary:
        return;
    }
}

template <class A>
family_difference compare(const io::loaded_table<A>& before, const io::loaded_table<A>& after,
                          diff_format format, output& out) {
    const auto counts = for_each_difference(before, after, [&](const route_difference<A>& d) {
        append_as(format, d, out.text());
        out.spill();
    });
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
    output out(options.out);
    if (options.format == diff_format::csv)
        out.write("change,prefix,before,after\n");
    std::vector<family_difference> families;
    const auto add = [&](const auto& old_one, const auto& new_one) {
        if (!old_one.routes.empty() || !new_one.routes.empty())
            families.push_back(compare(old_one, new_one, options.format, out));
    };
    add(before.ipv4, after.ipv4);
    add(before.ipv6, after.ipv6);
    if (options.format == diff_format::summary)
        out.write(summary_table(families));
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
    command made{.name = "diff", .summary = "print the changes that make one table another"};
    add_reading_options(made, options->reading);
    add_choice<diff_format>(
        made, "--format", options->format,
        {{"text", diff_format::text},
         {"csv", diff_format::csv},
         {"ndjson", diff_format::ndjson},
         {"summary", diff_format::summary}},
        "a list of updates (`A prefix next_hop`, `W prefix`), CSV, one JSON object a line, "
        "or numbers alone");
    add_flag(made, "--exit-code", options->exit_code,
             fmt::format("exit with {} when the tables differ", exit_code::different));
    add_file(made, "--output", options->out, "where to; - is stdout").letter = 'o';
    made.rest = {.name = "TABLE",
                 .help = "the table before, then the one after; one of them may be -, stdin",
                 .least = 2,
                 .most = 2,
                 .take = [options](const std::string& path) {
                     options->paths.push_back(path);
                     return std::string();
                 }};
    made.examples = {{"fingerpost diff table.txt new.txt > updates.txt",
                      "what has to be announced and withdrawn, and how much on stderr"},
                     {"fingerpost diff --format summary table.txt new.txt", "how much alone"},
                     {"fingerpost diff --exit-code table.txt table.txt > /dev/null", "for scripts"}};
    made.run = [options] { return run(*options); };
    return made;
}

} // namespace fingerpost::cli
