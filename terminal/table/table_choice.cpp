// Defines the table options, and reads the table that they name.
#include "terminal/table/table_choice.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <span>
#include <unistd.h>
#include <utility>
#include <variant>

#include "io/format/parts/table_notes.hpp"
#include "io/source/combine/overlay.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/damage_report.hpp"
#include "terminal/table/default_table.hpp"
#include "terminal/table/named_tables.hpp"
#include "terminal/table/reading_progress.hpp"

namespace fingerpost::cli {
namespace {

// Number of skipped malformed lines that are reported.
constexpr std::uint64_t reported_lines = 5;

void report_counts(const table_choice& choice, const io::table_counts& counts) {
    for (const io::table_note& note : io::notes_of(counts))
        if (note.count != 0)
            report(fmt::format("{}: {}{}", name_of(choice), note.words,
                               note.name == "unused_lengths" ? "; name both with --network ADDRESS,LENGTH"
                                                             : ""));
}

io::table_options options_of(const table_choice& choice) {
    io::table_options options;
    options.only = choice.only();
    options.policy = choice.strict ? host_bits::refuse : host_bits::mask;
    options.skip_bad = choice.skip_bad;
    options.on_skip = [count = std::uint64_t{0}](const io::input_error& error) mutable {
        if (count++ < reported_lines)
            report(io::message(error));
        if (count == reported_lines + 1)
            report(fmt::format("{}: further malformed lines are not shown", error.file));
    };
    options.network = choice.network;
    // With --join, the selection may include columns of joined files and is applied later.
    if (choice.joins.empty())
        options.values = choice.values;
    options.advice = {.family = "choose one with --family",
                      .network = "name it with --network",
                      .format = "see --input-format and `fingerpost help formats`",
                      .routing_table = "choose one with --routing-table"};
    options.routing_table = choice.routing_table;
    options.aliases = choice.aliases;
    options.on_left_out = [file = name_of(choice)](const std::string& words) {
        report(fmt::format("{}: left out {}", file, words));
    };
    if (!choice.format)
        options.on_understood = [file = name_of(choice)](const std::string& words) {
            notice(fmt::format("{}: read as {}", file, words));
        };
    return options;
}

// Otherwise, a user at a terminal could wait forever without knowing that input is expected.
void report_terminal(const table_choice& choice) {
    if (choice.path == "-" && is_terminal(STDIN_FILENO))
        report("reading the table from the terminal, one route per line; end with Ctrl-D");
}

[[noreturn]] void fail(const io::input_error& error) {
    throw failure(io::message(error));
}

// Reports the parts of an MRT file that are not routes, or that are damaged.
void report_mrt(const std::string& file, const io::mrt_report& recorded) {
    damage_report damage(file);
    for (const io::mrt::damage& where : recorded.damaged)
        damage.add(where);
    damage.report_sum(recorded.counted.damaged, recorded.counted.damaged_bytes);
    for (const io::table_note& note : io::notes_of(recorded))
        if (note.count != 0)
            report(fmt::format("{}: {}", file, note.words));
}

// Reads COLUMN=TYPE,...; the last `=` of a word precedes the type.
std::string read_types(const std::string& text, std::vector<io::typed_column>& target) {
    std::vector<std::string> words;
    if (std::string reason = read_list(text, words); !reason.empty())
        return reason;
    for (const std::string& word : words) {
        const std::size_t equals = word.rfind('=');
        const auto type = column_type_named(equals == std::string::npos ? "" : word.substr(equals + 1));
        if (!type || equals == 0)
            return io::quoted(word) + " is not COLUMN=TYPE with the type text, integer, float or boolean";
        target.push_back({word.substr(0, equals), *type});
    }
    return {};
}

io::both_tables with_types(io::both_tables tables, const table_choice& choice) {
    if (choice.types.empty())
        return tables;
    if (std::string reason = io::fix_types(tables, choice.types); !reason.empty())
        fail(io::input_error{name_of(choice), 0, {}, std::move(reason)});
    return tables;
}

// Describes the options from this index on in `fingerpost help tables`.
void set_topic(command& target, std::size_t first) {
    for (option& added : std::span(target.options).subspan(first))
        added.topic = "tables";
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
        add_file(to, "--table", choice.path, "Read routes from FILE (\"-\" is stdin); may be repeated");
    file.letter = 't';
    file.takes_words = true;
    file.value = "[NAME=]FILE";
    file.may_repeat = true;
    file.take = [&choice](const std::string& text) {
        choice.add(text);
        return std::string();
    };
    return file;
}

void add_format_options(command& to, table_choice& choice, const std::string& needs) {
    using optional_format = std::optional<io::table_format>;
    const std::size_t first = to.options.size();
    std::vector<std::pair<std::string, optional_format>> formats{{"auto", std::nullopt}};
    for (const io::table_format format_of_table : io::table_formats())
        formats.emplace_back(io::name_of(format_of_table), format_of_table);
    option& format = add_choice<optional_format>(to, "--input-format", choice.format, formats, "");
    // In a list, the names can be broken into lines, which a|b|c cannot.
    format.value = "FORMAT";
    format.help =
        fmt::format("Format of the table: {}", fmt::join(std::span(format.choices).subspan(1), ", "));
    format.preset = "detected";
    format.needs = needs;
    add_columns(to, "--network", choice.network,
                "CSV and JSON: column with the prefixes, or two columns: ADDRESS,LENGTH with lengths or "
                "masks, or FIRST,LAST of ranges (default: network, prefix, cidr, start_ip,end_ip, ...)")
        .needs = needs;
    add_columns(to, "--columns", choice.values,
                "Keep only these columns of values, in this order; the first is the next hop (default: all)")
        .needs = needs;
    add_option(
        to, {.name = "--type",
             .value = "COLUMN=TYPE,...",
             .help = "Types of columns: text, integer, float or boolean. They decide how values are written "
                     "in JSON and images (default: those of the input, else guessed)",
             .is_list = true,
             .needs = needs,
             .take = [&choice](const std::string& text) { return read_types(text, choice.types); }});
    option& routing_table =
        add_text(to, "--routing-table", "NAME", choice.routing_table,
                 "Router output: read this routing table or VRF, by the router's name for it");
    routing_table.preset = "the main table";
    routing_table.needs = needs;
    add_flag(
        to, "--aliases", choice.aliases,
        "MaxMind DB: also list the IPv6 copies of IPv4 networks (6to4, Teredo, NAT64), which takes several "
        "times the memory. Lookups in these blocks work without it")
        .needs = needs;
    add_peer(to, choice.peer).needs = needs;
    add_number(to, "--skip-bad", choice.skip_bad, {},
               "Report and skip up to N malformed lines; fail at the next one")
        .needs = needs;
    add_flag(to, "--verbose", is_verbose,
             "Report how the input is interpreted, even if stderr is not a terminal");
    set_topic(to, first);
}

option& add_rename(command& to, table_choice& choice) {
    return add_option(
        to, {.name = "--rename",
             .value = "OLD=NEW,...",
             .help = "Rename address, prefix or a column; write \"\\,\" and \"\\=\" within names",
             .is_list = true,
             .may_repeat = true,
             .take = [&choice](const std::string& text) { return read_renamings(text, choice.renamings); }});
}

option& add_peer(command& to, io::peer_choice& peer) {
    return add_option(to,
                      {.name = "--peer",
                       .value = "PEER",
                       .help = "MRT: use only the routes of this peer, an address or an AS such as AS64500",
                       .preset = "the best route of all peers",
                       .take = [&peer](const std::string& text) -> std::string {
                           const auto read = io::parse_peer(text);
                           if (!read || std::holds_alternative<io::numbered_peer>(*read))
                               return io::quoted(text) + " is neither an address nor an AS such as AS64500";
                           peer = *read;
                           return {};
                       }});
}

void add_table_options(command& to, table_choice& choice) {
    take_several(add_table_file(to, choice), choice);
    add_joins(to, choice);
    add_reading_options(to, choice);
}

void take_several(option& file, table_choice& choice) {
    file.is_required = true;
    file.otherwise = [&choice] { return use_default_table(choice); };
    file.missing = default_table_words();
}

void add_joins(command& to, table_choice& choice) {
    const std::size_t first = to.options.size();
    add_option(
        to, {.name = "--join",
             .value = "FILE",
             .help = "Add the columns of this CSV or TSV file to the table, matching rows by the column that "
                     "--on names. May be repeated",
             .may_repeat = true,
             .is_file = true,
             .needs = "--on",
             .take = [&choice](const std::string& text) -> std::string {
                 if (!choice.joins.empty() && choice.joins.back().table_key.empty())
                     return "the preceding --join needs an --on";
                 choice.joins.push_back({.path = text});
                 return {};
             }});
    add_option(to, {.name = "--on",
                    .value = "COLUMN[=COLUMN]",
                    .help = "Column to join on. Use TABLE_COLUMN=FILE_COLUMN if the names differ. Applies to "
                            "the preceding --join",
                    .may_repeat = true,
                    .needs = "--join",
                    .take = [&choice](const std::string& text) -> std::string {
                        if (choice.joins.empty() || !choice.joins.back().table_key.empty())
                            return "must follow a --join";
                        return read_on(text, choice.joins.back());
                    }});
    set_topic(to, first);
}

std::string read_on(const std::string& text, column_join& join) {
    const std::size_t equals = std::min(text.find('='), text.size());
    join.table_key = text.substr(0, equals);
    join.file_key = equals == text.size() ? text : text.substr(equals + 1);
    return join.table_key.empty() || join.file_key.empty()
               ? io::quoted(text) + " is not COLUMN or COLUMN=COLUMN"
               : std::string();
}

void table_choice::add(const std::string& text) {
    files.push_back(cut_table(text));
    path = files.front().path;
}

bool table_choice::reads_stdin() const {
    return path == "-" ||
           std::any_of(files.begin(), files.end(), [](const table_file& file) { return file.path == "-"; });
}

void add_reading_options(command& to, table_choice& choice) {
    const std::size_t first = to.options.size();
    add_family(to, choice.family, "Use only IPv4 (4) or IPv6 (6) routes");
    add_flag(to, "--strict", choice.strict,
             "Reject prefixes with host bits set, such as 10.0.0.1/8 (default: clear the bits)");
    add_format_options(to, choice);
    set_topic(to, first);
}

std::string name_of(const table_choice& choice) {
    return choice.path == "-" ? "stdin" : choice.path;
}

io::read_options reading_of(const table_choice& choice) {
    return {.table = options_of(choice),
            .format = choice.format,
            .mrt = {choice.peer, io::mrt_values::all},
            .on_recorded = [file = name_of(choice)](const io::mrt_report& recorded) {
                report_mrt(file, recorded);
            }};
}

io::table_input open_table(const table_choice& choice) {
    report_terminal(choice);
    auto input = io::table_input::open(choice.path, reading_of(choice));
    if (!input)
        fail(input.error());
    auto bar = std::make_shared<reading_progress>("reading " + name_of(choice), file_bytes(choice.path));
    input->source().watch([bar](std::uint64_t bytes, bool is_end) {
        if (is_end)
            bar->wipe();
        else
            bar->show(bytes);
    });
    return std::move(*input);
}

namespace {

io::both_tables read_both(io::table_input input, const table_choice& choice) {
    auto read = std::move(input).read_both(reading_of(choice));
    if (!read)
        fail(read.error());
    report_counts(choice, io::counts_of(*read));
    return std::move(*read);
}

io::both_tables read_several(const table_choice& choice) {
    if (std::count_if(choice.files.begin(), choice.files.end(), [](const auto& f) { return f.path == "-"; }) >
        1)
        throw usage_error("--table: only one table can come from stdin");
    std::vector<found_table> groups = find_groups(group_files(choice.files), choice);
    std::vector<io::named_tables> tables;
    for (found_table& group : groups) {
        auto* const images = std::get_if<both_images>(&group.tables);
        tables.push_back({group.name, images != nullptr
                                          ? copy_tables(*images, choice)
                                          : std::get<io::both_tables>(std::move(group.tables))});
    }
    return tables.size() == 1 ? std::move(tables.front().tables) : io::overlay_tables(tables);
}

bool is_one_file(const table_choice& choice) {
    return !choice.has_several() && choice.joins.empty();
}

io::both_tables with_aliases_reported(io::both_tables tables, const table_choice& choice) {
    std::vector<std::string> blocks;
    for (const ipv6_prefix& block : tables.aliases)
        blocks.push_back(to_string(block));
    if (!blocks.empty())
        report(fmt::format("{}: left out {}, which repeat the IPv4 networks (see --aliases)", name_of(choice),
                           fmt::join(blocks, ", ")));
    return tables;
}

} // namespace

io::both_tables load_both(io::table_input input, const table_choice& choice) {
    return with_aliases_reported(with_types(read_both(std::move(input), choice), choice), choice);
}

io::both_tables load_both(const table_choice& choice) {
    return is_one_file(choice) ? load_both(open_table(choice), choice)
                               : with_aliases_reported(read_several(choice), choice);
}

io::one_table load(const table_choice& choice) {
    io::both_tables tables = load_both(choice);
    const bool has_ipv4 = !tables.ipv4.routes.empty();
    const bool has_ipv6 = !tables.ipv6.routes.empty();
    if (has_ipv4 && has_ipv6)
        throw failure(name_of(choice) + " has routes of both families; choose one with --family 4 or 6");
    if (has_ipv4 || (!has_ipv6 && choice.family == 4))
        return std::move(tables.ipv4);
    return std::move(tables.ipv6);
}

io::found_tables find_tables(const table_choice& choice) {
    if (!is_one_file(choice))
        return read_several(choice);
    io::found_tables tables = find_file(choice);
    if (choice.types.empty())
        return tables;
    auto* const images = std::get_if<both_images>(&tables);
    return with_types(images != nullptr ? copy_tables(*images, choice)
                                        : std::get<io::both_tables>(std::move(tables)),
                      choice);
}

io::found_tables find_file(const table_choice& choice) {
    io::table_input input = open_table(choice);
    if (input.format() != io::table_format::image)
        return read_both(std::move(input), choice);
    auto images = input.map(reading_of(choice));
    if (!images)
        fail(images.error());
    const auto count = [&]<class A>(const std::optional<image<A>>& source) -> std::uint64_t {
        return source && choice.only().value_or(family_of<A>) != family_of<A> ? source->size() : 0;
    };
    report_counts(choice, io::table_counts{.other_family = count(images->ipv4) + count(images->ipv6)});
    return std::move(*images);
}

io::both_tables copy_tables(const both_images& images, const table_choice& choice) {
    auto tables = io::copy_tables(images, options_of(choice), name_of(choice));
    if (!tables)
        fail(tables.error());
    return std::move(*tables);
}

} // namespace fingerpost::cli
