// `fingerpost lab generate`: generates a realistic routing table.
#include <fmt/format.h>
#include <memory>
#include <string>

#include "bench/workloads/generate/generate.hpp"
#include "cli/answers/route_text.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

struct generate_settings {
    std::string shares;
    bench::generate_options table;
    unsigned family = 0; // 0: the family of the shares, else 6
    std::string out = "-";
};

// The generator checks the settings, which all come from the command line.
template <class A>
void write_table(const generate_settings& settings) {
    const auto table = bench::generate<A>(settings.table);
    if (!table)
        throw usage_error("generate: " + table.error());
    output out(settings.out);
    for (const route<A>& r : *table) {
        append_route(r.where, fmt::format_int(r.hop.id).str(), out.text());
        out.spill();
    }
    out.finish();
}

void run(generate_settings settings) {
    if (!settings.shares.empty()) {
        const unsigned family = bench::find_share_table(settings.shares)->address_bits == 32 ? 4 : 6;
        if (settings.family != 0 && settings.family != family)
            throw usage_error(fmt::format("--family: {} is a table of IPv{}", settings.shares, family));
        settings.family = family;
    }
    settings.table.shares = settings.shares;
    if (settings.family == 4)
        write_table<ipv4_address>(settings);
    else
        write_table<ipv6_address>(settings);
}

} // namespace

command generate_command() {
    auto settings = std::make_shared<generate_settings>();
    bench::generate_options& table = settings->table;
    command result{.name = "lab generate", .summary = "generate a realistic routing table"};
    add_name(result, "--shares", settings->shares, bench::share_names(),
             "Copy the prefix lengths and the size of this real table, see below");
    std::vector<std::pair<std::string, bench::address_model>> models;
    for (const bench::named_model& model : bench::address_models)
        models.emplace_back(model.name, model.model);
    add_choice(
        result, "--model", table.model, std::move(models),
        "How prefixes are placed: clustered (as operators assign them), uniform (at random), or all of one "
        "length: contiguous, sparse or hosts")
        .value = "MODEL";
    add_family(result, settings->family, "Address family (default: that of --shares, else 6)");
    add_number(result, "--routes", table.routes, {1, bench::most_routes}, "Number of routes").preset =
        "as in --shares";
    add_number(result, "--seed", table.seed, {}, "Random seed; the same seed gives the same table");
    add_number(result, "--next-hops", table.next_hops, {1, 0xffff'fffe}, "Number of different next hops");
    add_output(result, settings->out);
    result.more =
        fmt::format("Names:\n  --shares  {}\n  --model  {}\n", fmt::join(bench::share_names(), ", "),
                    fmt::join(result.options[1].choices, ", "));
    result.examples = {{"fingerpost lab generate -o table.txt", "Generate an IPv6 table of Internet size"},
                       {"fingerpost lab generate --shares tier1-v4 --routes 10000 -o small.txt",
                        "Generate a small IPv4 table"}};
    result.run = [settings] {
        run(*settings);
        return exit_code::ok;
    };
    return result;
}

} // namespace fingerpost::cli
