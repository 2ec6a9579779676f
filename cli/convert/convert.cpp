// `fingerpost convert`: converts a file to another format.
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/convert/chosen_routes.hpp"
#include "cli/convert/convert_formats.hpp"
#include "cli/writers/table_to_firewall.hpp"
#include "cli/writers/table_writer.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct convert_options {
    table_choice table;
    table_writing how{table};
    std::vector<condition_text> where{};
    const conversion* what = nullptr;
    std::string out = "-";
};

bool chooses_routes(const table_choice& table) {
    return table.family != 0 || table.strict || !table.network.empty() || !table.values.empty() ||
           table.skip_bad != 0 || table.peer.index() != 0 || !table.routing_table.empty();
}

// Recorders write files of updates at fixed times, so a file without any update is an empty MRT file.
bool is_mrt(io::table_input& input, const table_choice& table) {
    if (input.format() == io::table_format::mrt || table.format || chooses_routes(table))
        return input.format() == io::table_format::mrt;
    const auto start = input.source().peek(1);
    return start && start->empty();
}

// Returns the exit code.
int write(io::both_tables tables, const convert_options& options, output& out) {
    keep_routes(tables, options.where);
    options.what->write(tables, options.how, out);
    out.finish();
    return exit_code::ok;
}

int run(const convert_options& options) {
    if (options.table.path == "-" && is_terminal(STDIN_FILENO))
        throw usage_error("convert: files are not typed; name one, or send one to stdin");
    const auto check_options = [&] {
        const std::string_view to = options.what->to;
        if ((options.how.ipv4_next_hop || options.how.ipv6_next_hop) && !to.starts_with("mrt"))
            throw usage_error("convert: --next-hop is for --format mrt and mrt-whole");
        if (!options.how.set_name.empty() && to != "ipset" && to != "nft" && to != "nginx-geo")
            throw usage_error("convert: --set is for --format ipset, nft and nginx-geo");
        if (options.how.nft_table != table_writing{options.table}.nft_table && to != "nft")
            throw usage_error("convert: --nft-table is for --format nft");
    };
    if (options.table.has_several()) {
        check_options();
        io::both_tables joined = load_both(options.table);
        output out(options.out);
        return write(std::move(joined), options, out);
    }
    io::table_input input = open_table(options.table);
    output out(options.out);
    // With --where the table is meant that the file holds, not its rows.
    if (options.where.empty() && options.what->to == "csv" && is_mrt(input, options.table)) {
        if (chooses_routes(options.table))
            throw usage_error("convert: the rows of an MRT file are all that it says; options that choose "
                              "routes, columns or lines are for tables");
        return mrt_to_csv(input.source(), out);
    }
    check_options();
    return write(load_both(std::move(input), options.table), options, out);
}

std::string take_next_hop(const std::string& text, table_writing& how) {
    if (const auto four = parse_address<ipv4_address>(text))
        how.ipv4_next_hop = *four;
    else if (const auto six = parse_address<ipv6_address>(text))
        how.ipv6_next_hop = *six;
    else
        return io::quoted(text) + " is no address";
    return {};
}

} // namespace

std::span<const conversion> conversions() {
    static constexpr std::array all{
        conversion{"csv",
                   "prefix and all columns of values, with a header; of an MRT file a row for each prefix, "
                   "type,time,peer,peer_as,prefix,next_hop,origin_as",
                   table_to_csv},
        conversion{"text", "`prefix next_hop` lines, of a table with one column of values", table_to_text},
        conversion{"ndjson", "a JSON object a line, with all columns", table_to_ndjson},
        conversion{"mrt", "a recorded table: TABLE_DUMP_V2 with one peer; of values next_hop and origin_as",
                   table_to_mrt},
        conversion{"mrt-whole", "the same for GoBGP before 3.16, with all of MP_REACH_NLRI",
                   table_to_whole_mrt},
        conversion{"ipset",
                   "for ipset restore: sets of type hash:net, one for each value or the one that --set names",
                   table_to_ipset},
        conversion{"nft", "for nft -f: sets of ranges, one for each value or the one that --set names",
                   table_to_nft},
        conversion{"nginx-geo", "a geo block for nginx, of a table with one column of values",
                   table_to_nginx_geo},
        conversion{"haproxy-map", "a file for HAProxy's map_ip, of a table with one column of values",
                   table_to_haproxy_map},
        conversion{"image", "a saved table, which programs map and look up in", table_to_image},
    };
    return all;
}

command convert_command() {
    auto options = std::make_shared<convert_options>();
    options->what = &conversions().front();
    command made{.name = "convert", .summary = "write a table or a recorded MRT file in another format"};
    std::vector<std::pair<std::string, const conversion*>> formats;
    made.more = "Formats:\n";
    for (const conversion& one : conversions()) {
        formats.emplace_back(one.to, &one);
        made.more += "  " + std::string(one.to) + "  " + std::string(one.words) + "\n";
    }
    add_choice<const conversion*>(made, "--format", options->what, std::move(formats), "of the output");
    add_file(made, "--output", options->out,
             "where to; a file is replaced once all of it is written; - is stdout")
        .letter = 'o';
    option& hop = add_option(
        made, {.name = "--next-hop",
               .value = "ADDRESS",
               .help = "of MRT, for routes whose next hop is no address that BGP carries "
                       "with them; one for each family may be given",
               .preset = "such routes are refused",
               .take = [options](const std::string& text) { return take_next_hop(text, options->how); }});
    hop.may_repeat = true;
    add_option(made, {.name = "--set",
                      .value = "NAME",
                      .help = "of ipset and nft, the set that holds all routes, and NAME6 those of IPv6; of "
                              "nginx-geo, the variable",
                      .preset = "each value names a set; fingerpost for nginx-geo",
                      .take = [options](const std::string& text) {
                          options->how.set_name = text;
                          return text.empty() ? std::string("a set has a name") : std::string();
                      }});
    add_option(made, {.name = "--nft-table",
                      .value = "TABLE",
                      .help = "of nft, the family and the name of the table that has the sets",
                      .preset = options->how.nft_table,
                      .take = [options](const std::string& text) {
                          options->how.nft_table = text;
                          const char* const fault = nft_table_fault(text);
                          return fault == nullptr ? std::string() : io::quoted(text) + " " + fault;
                      }});
    add_option(made,
               {.name = "--where",
                .value = "COLUMN=VALUE",
                .help = "only routes with this value, or with != with another one; may be given several "
                        "times, then all must hold",
                .may_repeat = true,
                .take = [options](const std::string& text) { return read_condition(text, options->where); }});
    add_family(made, options->table.family, "read only routes of this family");
    add_flag(made, "--strict", options->table.strict, "refuse prefixes with bits set past their length");
    add_format_options(made, options->table);
    made.rest = {.name = "FILE",
                 .help = "a table in any format that --table takes, or an MRT file of a table or updates, "
                         "also gz, bz2, xz or zst; - is stdin; several are joined into one table, of equal "
                         "prefixes the later one counts",
                 .least = 1,
                 .most = std::numeric_limits<std::size_t>::max(),
                 .take = [options](const std::string& path) {
                     options->table.add(path);
                     return std::string();
                 }};
    made.examples = {
        {"fingerpost convert --format csv rib.mrt", "every route of every peer"},
        {"zcat updates.gz | fingerpost convert - | grep ^W", "what was withdrawn"},
        {"fingerpost convert --format text --value asn networks.csv", "a table of one column"},
        {"fingerpost convert --where asn=64500 networks.csv", "the routes with a value in a column"},
        {"fingerpost convert --format mrt --next-hop 192.0.2.1 --next-hop 2001:db8::1 -o rib.mrt table.txt",
         "a table for programs that read MRT"},
        {"fingerpost convert --format nft --set blocked -o blocked.nft table.txt",
         "all prefixes as a set, for nft -f"},
        {"ip -6 route show | fingerpost convert --format ndjson -", "the routes of this machine"}};
    made.run = [options] { return run(*options); };
    return made;
}

} // namespace fingerpost::cli
