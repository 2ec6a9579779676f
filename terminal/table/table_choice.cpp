// The table options, and reading the table that they name.
#include "terminal/table/table_choice.hpp"

#include <array>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>
#include <variant>

#include "terminal/console.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/table_sources.hpp"

namespace fingerpost::cli {
namespace {

// This many of the skipped wrong lines are reported.
constexpr std::uint64_t told_lines = 5;

std::string name_of(const table_choice& choice) {
    return choice.path == "-" ? "stdin" : choice.path;
}

void report_counts(const table_choice& choice, const io::table_counts& counts) {
    const auto tell = [&](std::uint64_t count, const char* one, const char* many, const char* what) {
        if (count != 0)
            report(fmt::format("{}: {} {} {}", name_of(choice), count, count == 1 ? one : many, what));
    };
    tell(counts.bad, "bad line", "bad lines", "skipped");
    tell(counts.duplicates, "route", "routes", "replaced by a later one of the same prefix");
    tell(counts.not_best, "route", "routes", "left out for a better one of the same prefix");
    tell(counts.masked, "route", "routes", "had bits set past the prefix length; they were cleared");
    tell(counts.other_family, "route", "routes", "of the other family skipped");
}

void report_counts(const table_choice& choice, const io::both_tables& tables) {
    io::table_counts counts = tables.ipv4.counts;
    counts.duplicates += tables.ipv6.counts.duplicates;
    counts.masked += tables.ipv6.counts.masked;
    report_counts(choice, counts);
}

io::table_options options_of(const table_choice& choice) {
    io::table_options options;
    options.only = choice.only();
    options.policy = choice.strict ? host_bits::refuse : host_bits::mask;
    options.skip_bad = choice.skip_bad;
    options.on_skip = [told = std::uint64_t{0}](const io::input_error& error) mutable {
        if (told++ < told_lines)
            report(io::message(error));
        if (told == told_lines + 1)
            report(fmt::format("{}: further bad lines are only counted", error.file));
    };
    options.network = choice.network;
    options.values = choice.values;
    options.advice = {.family = "choose one with --family",
                      .network = "name one with --network",
                      .format = "choose one with --input-format"};
    if (!choice.format)
        options.on_understood = [file = name_of(choice)](const std::string& words) {
            report(fmt::format("{}: read as {}", file, words));
        };
    return options;
}

// A user at a terminal who did not know that input is expected would wait forever.
void tell_terminal(const table_choice& choice) {
    if (choice.path == "-" && is_terminal(STDIN_FILENO))
        report("reading the table from this terminal, one route a line; Ctrl-D ends it");
}

[[noreturn]] void fail(const io::input_error& error) {
    throw failure(io::message(error));
}

// Takes one family of tables that were read completely.
io::any_table one_of(io::both_tables tables, const table_choice& choice) {
    const bool has_four = !tables.ipv4.routes.empty();
    if (has_four && !tables.ipv6.routes.empty())
        throw failure(
            fmt::format("{}: it has routes of both families (choose one with --family)", name_of(choice)));
    if (has_four || choice.family == 4)
        return std::move(tables.ipv4);
    return std::move(tables.ipv6);
}

bool is_text(const io::table_input& input) {
    return input.format() != io::table_format::mrt && input.format() != io::table_format::image;
}

option& add_columns(command& to, std::string name, std::vector<std::string>& target, std::string help) {
    return add_option(to, {.name = std::move(name),
                           .value = "COLUMN,...",
                           .help = std::move(help),
                           .is_list = true,
                           .take = [&target](const std::string& text) { return read_list(text, target); }});
}

} // namespace

option& add_table_file(command& to, table_choice& choice) {
    option& file =
        add_file(to, "--table", choice.path,
                 "text of `prefix` or `prefix next_hop` lines, CSV, JSON lines, output of bgpdump -m or "
                 "ip route, or an image, also gz, bz2, xz or zst; - is stdin");
    file.letter = 't';
    return file;
}

void add_format_options(command& to, table_choice& choice, const std::string& needs) {
    using optional_format = std::optional<io::table_format>;
    std::vector<std::pair<std::string, optional_format>> formats{{"auto", std::nullopt}};
    for (const io::format_name& one : io::table_formats)
        formats.emplace_back(one.name, one.format);
    add_choice<optional_format>(to, "--input-format", choice.format, std::move(formats),
                                "of the table; auto tells by how it begins")
        .needs = needs;
    add_columns(
        to, "--network", choice.network,
        "the column of prefixes in CSV or JSON, or those of the first and the last address of ranges; "
        "by default network, prefix, cidr and the like")
        .needs = needs;
    add_columns(to, "--value", choice.values,
                "the columns of values that are kept, the first as the next hop; by default all")
        .needs = needs;
    add_peer(to, choice.peer).needs = needs;
    add_number(to, "--skip-bad", choice.skip_bad, {},
               "so many lines that are wrong are told and skipped; one more is an error")
        .needs = needs;
}

option& add_rename(command& to, table_choice& choice) {
    return add_option(
        to, {.name = "--rename",
             .value = "OLD=NEW,...",
             .help = "other names in what is written: for prefix, address, or a column of the "
                     "table; of two equal ones the command's own is meant; a backslash stands "
                     "before a comma or = within a name",
             .is_list = true,
             .may_repeat = true,
             .take = [&choice](const std::string& text) { return read_renamings(text, choice.renamings); }});
}

option& add_peer(command& to, io::peer_choice& peer) {
    return add_option(
        to, {.name = "--peer",
             .value = "PEER",
             .help = "of an MRT file take the routes of this peer only: its address, or AS64500 for "
                     "all of an AS",
             .preset = "the best routes of all",
             .take = [&peer](const std::string& text) -> std::string {
                 const auto read = io::parse_peer(text);
                 if (!read || std::holds_alternative<io::numbered_peer>(*read))
                     return io::quoted(text) + " is neither an address nor an AS such as AS64500";
                 peer = *read;
                 return {};
             }});
}

void add_table_options(command& to, table_choice& choice) {
    add_table_file(to, choice).is_required = true;
    add_reading_options(to, choice);
}

void add_reading_options(command& to, table_choice& choice) {
    add_family(to, choice.family, "read only routes of this family");
    add_flag(to, "--strict", choice.strict, "refuse prefixes with bits set past their length");
    add_format_options(to, choice);
}

io::table_input open_table(const table_choice& choice) {
    tell_terminal(choice);
    auto input = io::table_input::open(choice.path, options_of(choice), choice.format);
    if (!input)
        fail(input.error());
    return std::move(*input);
}

io::both_tables load_both(io::table_input input, const table_choice& choice) {
    io::table_options options = options_of(choice);
    options.both = true;
    if (is_text(input)) {
        auto tables = std::move(input).read_both(options);
        if (!tables)
            fail(tables.error());
        report_counts(choice, *tables);
        return std::move(*tables);
    }
    const bool is_image = input.format() == io::table_format::image;
    if (options.on_understood)
        options.on_understood(is_image ? "the image of a table" : "an MRT file");
    io::both_tables tables =
        is_image ? read_image_table(choice.path, options) : read_mrt_table(input, options, choice.peer);
    keep_columns(tables, choice.values, input.source().name());
    report_counts(choice, tables);
    return tables;
}

io::any_table load(const table_choice& choice) {
    io::table_input input = open_table(choice);
    if (!is_text(input))
        return one_of(load_both(std::move(input), choice), choice);
    auto table = std::move(input).read(options_of(choice));
    if (!table)
        fail(table.error());
    std::visit([&](const auto& t) { report_counts(choice, t.counts); }, *table);
    return std::move(*table);
}

io::both_tables load_both(const table_choice& choice) {
    return load_both(open_table(choice), choice);
}

} // namespace fingerpost::cli
