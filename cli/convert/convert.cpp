// `fingerpost convert`: writes a file in another format.
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
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

// Recorders write update files at fixed times, so an empty file is an MRT file without updates.
bool is_mrt(io::table_input& input, const table_choice& table) {
    if (input.format() == io::table_format::mrt || table.format || chooses_routes(table))
        return input.format() == io::table_format::mrt;
    const auto start = input.source().peek(1);
    return start && start->empty();
}

// Returns the exit code.
int write(io::both_tables tables, const convert_options& options, output& out) {
    keep_routes(tables, options.where);
    if (!options.where.empty() && tables.ipv4.routes.empty() && tables.ipv6.routes.empty())
        report("--where: no route matches");
    options.what->write(tables, options.how, out);
    out.finish();
    return exit_code::ok;
}

int run(const convert_options& options) {
    if (options.table.path == "-" && is_terminal(STDIN_FILENO))
        throw usage_error("convert: no file; name a file or redirect stdin");
    const auto check_options = [&] {
        const std::string_view to = options.what->to;
        if ((options.how.ipv4_next_hop || options.how.ipv6_next_hop) && !to.starts_with("mrt"))
            throw usage_error("--next-hop needs --format mrt or mrt-whole");
        if (!options.how.set_name.empty() && to != "ipset" && to != "nft" && to != "nginx-geo")
            throw usage_error("--set needs --format ipset, nft or nginx-geo");
        if (options.how.nft_table != table_writing{options.table}.nft_table && to != "nft")
            throw usage_error("--nft-table needs --format nft");
    };
    if (options.table.has_several() || !options.table.joins.empty()) {
        check_options();
        io::both_tables joined = load_both(options.table);
        output out(options.out);
        return write(std::move(joined), options, out);
    }
    io::table_input input = open_table(options.table);
    output out(options.out);
    // With --where, an MRT file is read as a table, not row by row.
    if (options.where.empty() && options.what->to == "csv" && is_mrt(input, options.table)) {
        if (chooses_routes(options.table))
            throw usage_error(
                "convert: options that choose routes, columns or lines do not apply to the rows of "
                "an MRT file; use --format ndjson for its table");
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
        return io::quoted(text) + " is not an address";
    return {};
}

} // namespace

std::span<const conversion> conversions() {
    static constexpr std::array formats{
        conversion{"csv", "prefix and all columns; of an MRT file a row for each route of each peer",
                   table_to_csv},
        conversion{"text", "a `prefix next_hop` line per route; needs a single column of values",
                   table_to_text},
        conversion{"ndjson", "a JSON object per line, with all columns", table_to_ndjson},
        conversion{"mrt", "MRT TABLE_DUMP_V2 with one peer, from the columns next_hop and origin_as",
                   table_to_mrt},
        conversion{"mrt-whole", "mrt with full MP_REACH_NLRI, for GoBGP before 3.16", table_to_whole_mrt},
        conversion{"ipset", "input of `ipset restore`: a hash:net set per value, or one with --set",
                   table_to_ipset},
        conversion{"nft", "input of `nft -f`: a set of ranges per value, or one with --set", table_to_nft},
        conversion{"nginx-geo", "a geo block of nginx; needs a single column of values", table_to_nginx_geo},
        conversion{"haproxy-map", "a file for HAProxy's map_ip; needs a single column of values",
                   table_to_haproxy_map},
        conversion{"image", "an image, see `fingerpost help image`", table_to_image},
    };
    return formats;
}

command convert_command() {
    auto options = std::make_shared<convert_options>();
    options->what = &conversions().front();
    command result{.name = "convert", .summary = "write a table or a recorded MRT file in another format"};
    std::vector<std::pair<std::string, const conversion*>> formats;
    for (const conversion& format : conversions())
        formats.emplace_back(format.to, &format);
    add_table_options(result, options->table);
    option& format = add_choice<const conversion*>(result, "--format", options->what, std::move(formats), "");
    format.value = "FORMAT";
    format.help =
        fmt::format("Output format: {}; see `fingerpost help formats`", fmt::join(format.choices, ", "));
    add_output(result, options->out,
               "Write to FILE instead of stdout. An existing file is replaced once the output is complete");
    option& hop = add_option(
        result,
        {.name = "--next-hop",
         .value = "ADDRESS",
         .help = "MRT: next hop for routes whose own is missing or not an address. Give one per family",
         .preset = "such routes are errors",
         .take = [options](const std::string& text) { return take_next_hop(text, options->how); }});
    hop.may_repeat = true;
    add_option(result,
               {.name = "--set",
                .value = "NAME",
                .help = "ipset, nft: put all prefixes into the set NAME (IPv6: NAME6) instead of a set per "
                        "value. nginx-geo: name of the variable (default: fingerpost)",
                .take = [options](const std::string& text) {
                    options->how.set_name = text;
                    return std::string();
                }});
    add_option(result, {.name = "--nft-table",
                        .value = "TABLE",
                        .help = "nft: family and name of the table",
                        .preset = options->how.nft_table,
                        .take = [options](const std::string& text) {
                            options->how.nft_table = text;
                            const char* const fault = nft_table_fault(text);
                            return fault == nullptr ? std::string() : io::quoted(text) + " " + fault;
                        }});
    add_option(result,
               {.name = "--where",
                .value = "COLUMN=VALUE",
                .help = "Write only routes whose COLUMN is VALUE, or with != is not. Repeat it to require "
                        "several conditions",
                .may_repeat = true,
                .take = [options](const std::string& text) { return read_condition(text, options->where); }});
    result.examples = {
        {"fingerpost convert --format csv rib.mrt", "List every route of every peer"},
        {"zcat updates.gz | fingerpost convert - | grep ^W", "List withdrawn prefixes"},
        {"fingerpost convert --format text --columns asn networks.csv", "Write a table with one column"},
        {"fingerpost convert --where asn=64500 networks.csv", "Select routes by a value"},
        {"fingerpost convert --format mrt --next-hop 192.0.2.1 -o rib.mrt table.txt", "Write an MRT file"},
        {"fingerpost convert --format nft --set blocked -o blocked.nft table.txt", "Make an nftables set"},
        {"ip -6 route show | fingerpost convert --format ndjson -", "Read the routes of this machine"}};
    result.run = [options] { return run(*options); };
    return result;
}

} // namespace fingerpost::cli
