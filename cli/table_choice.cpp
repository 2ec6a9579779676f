// Table options, and reading the table that they name.
#include "cli/table_choice.hpp"

#include <fmt/format.h>
#include <utility>
#include <variant>

#include "cli/console.hpp"
#include "cli/failure.hpp"
#include "io/source/table_file.hpp"

namespace fingerpost::cli {
namespace {

const char* routes_word(std::uint64_t count) {
    return count == 1 ? "route" : "routes";
}

void report_counts(const std::string& path, const io::table_counts& counts) {
    const auto tell = [&](std::uint64_t count, const char* what) {
        if (count != 0)
            report(fmt::format("{}: {} {} {}", path, count, routes_word(count), what));
    };
    tell(counts.duplicates, "replaced by a later one of the same prefix");
    tell(counts.masked, "had bits set past the prefix length; they were cleared");
    tell(counts.other_family, "of the other family skipped");
}

} // namespace

void add_table_options(CLI::App& command, table_choice& choice) {
    command
        .add_option("-t,--table", choice.path,
                    "text of `prefix` or `prefix next_hop` lines, also gz, bz2, xz or zst; - is stdin")
        ->required()
        ->type_name("FILE");
    command.add_option("--family", choice.family, "read only routes of this family")
        ->check(CLI::IsMember({4, 6}).description(""))
        ->type_name("4|6");
    command.add_flag("--strict", choice.strict, "refuse prefixes with bits set past their length");
}

io::any_table load(const table_choice& choice) {
    io::table_options options;
    if (choice.family != 0)
        options.only = choice.family == 4 ? family::ipv4 : family::ipv6;
    options.policy = choice.strict ? host_bits::refuse : host_bits::mask;
    auto table = io::load_table(choice.path, options);
    if (!table)
        throw failure(io::message(table.error()));
    std::visit([&](const auto& t) { report_counts(choice.path == "-" ? "stdin" : choice.path, t.counts); },
               *table);
    return std::move(*table);
}

} // namespace fingerpost::cli
