// Table options, and reading the table that they name.
#include "cli/table_choice.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <utility>
#include <variant>

#include "cli/console.hpp"
#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "io/source/table_file.hpp"

namespace fingerpost::cli {
namespace {

const char* routes_word(std::uint64_t count) {
    return count == 1 ? "route" : "routes";
}

void report_counts(const table_choice& choice, const io::table_counts& counts) {
    const std::string path = choice.path == "-" ? "stdin" : choice.path;
    const auto tell = [&](std::uint64_t count, const char* what) {
        if (count != 0)
            report(fmt::format("{}: {} {} {}", path, count, routes_word(count), what));
    };
    tell(counts.duplicates, "replaced by a later one of the same prefix");
    tell(counts.masked, "had bits set past the prefix length; they were cleared");
    tell(counts.other_family, "of the other family skipped");
}

io::table_options options_of(const table_choice& choice) {
    io::table_options options;
    options.only = choice.only();
    options.policy = choice.strict ? host_bits::refuse : host_bits::mask;
    return options;
}

// Whoever types, and does not know it, would wait for ever.
void tell_terminal(const table_choice& choice) {
    if (choice.path == "-" && is_terminal(STDIN_FILENO))
        report("reading the table from this terminal, one route a line; Ctrl-D ends it");
}

} // namespace

option& add_table_file(command& to, table_choice& choice) {
    option& file =
        add_file(to, "--table", choice.path,
                 "text of `prefix` or `prefix next_hop` lines, also gz, bz2, xz or zst; - is stdin");
    file.letter = 't';
    return file;
}

void add_table_options(command& to, table_choice& choice) {
    add_table_file(to, choice).is_required = true;
    add_reading_options(to, choice);
}

void add_reading_options(command& to, table_choice& choice) {
    add_family(to, choice.family, "read only routes of this family");
    add_flag(to, "--strict", choice.strict, "refuse prefixes with bits set past their length");
}

io::any_table load(const table_choice& choice) {
    tell_terminal(choice);
    auto table = io::load_table(choice.path, options_of(choice));
    if (!table)
        throw failure(io::message(table.error()));
    std::visit([&](const auto& t) { report_counts(choice, t.counts); }, *table);
    return std::move(*table);
}

io::both_tables load_both(const table_choice& choice) {
    tell_terminal(choice);
    auto tables = io::load_both(choice.path, options_of(choice));
    if (!tables)
        throw failure(io::message(tables.error()));
    io::table_counts counts = tables->ipv4.counts;
    counts.duplicates += tables->ipv6.counts.duplicates;
    counts.masked += tables->ipv6.counts.masked;
    report_counts(choice, counts);
    return std::move(*tables);
}

} // namespace fingerpost::cli
