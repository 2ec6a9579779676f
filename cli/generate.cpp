// `fingerpost generate`: makes a routing table that looks like a real one.
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>

#include "bench/workloads/generate.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/failure.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {
namespace {

struct generate_settings {
    std::string shares;
    bench::generate_options table;
    unsigned family = 0; // 0: the one of the shares, else 6
    std::string out = "-";
};

std::string share_names() {
    std::string names;
    for (const bench::share_table& table : bench::share_tables)
        names += (names.empty() ? "" : ", ") + std::string(table.name);
    return names;
}

std::map<std::string, bench::address_model> models() {
    std::map<std::string, bench::address_model> all;
    for (const bench::named_model& one : bench::address_models)
        all.emplace(one.name, one.model);
    return all;
}

// Bad settings are found by whoever makes the table; all of them come from the command line.
template <class A>
void write_table(const generate_settings& settings) {
    const auto table = bench::generate<A>(settings.table);
    if (!table)
        throw usage_error(table.error());
    output out(settings.out);
    char text[max_prefix_text<A>];
    for (const route<A>& r : *table) {
        out.text().append(text, format(r.where, text));
        fmt::format_to(std::back_inserter(out.text()), " {}\n", r.hop.id);
        out.spill();
    }
    out.finish();
}

void run(generate_settings settings) {
    if (!settings.shares.empty()) {
        const bench::share_table* const shares = bench::find_share_table(settings.shares);
        if (shares == nullptr)
            throw usage_error(
                fmt::format("no shares are called '{}'; there are {}", settings.shares, share_names()));
        if (settings.family == 0)
            settings.family = shares->address_bits == 32 ? 4 : 6;
    }
    settings.table.shares = settings.shares;
    if (settings.family == 4)
        write_table<ipv4_address>(settings);
    else
        write_table<ipv6_address>(settings);
}

} // namespace

void add_generate(CLI::App& app, int&) {
    auto settings = std::make_shared<generate_settings>();
    CLI::App* const command =
        app.add_subcommand("generate", "make a routing table that looks like a real one");
    command->add_option("--shares", settings->shares, "prefix lengths and size as in this table")
        ->type_name("NAME");
    command
        ->add_option(
            "--model", settings->table.model,
            "where prefixes lie: as operators deal them, anywhere, or one length side by side, anywhere or "
            "as hosts of one block")
        ->transform(CLI::CheckedTransformer(models()).description(""))
        ->type_name("clustered|uniform|contiguous|sparse|hosts");
    command->add_option("--family", settings->family, "4 or 6 (the default)")
        ->check(CLI::IsMember({4, 6}).description(""))
        ->type_name("4|6");
    command
        ->add_option("--routes", settings->table.routes,
                     "how many; default: as many as the table of the shares")
        ->check(CLI::Validator(CLI::PositiveNumber).description(""))
        ->type_name("N");
    command->add_option("--seed", settings->table.seed, "the same seed makes the same table")->type_name("N");
    command->add_option("--next-hops", settings->table.next_hops, "how many different ones")->type_name("N");
    command->add_option("-o,--output", settings->out, "where to; - is stdout")->type_name("FILE");
    command->footer("Tables for --shares: " + share_names() + "\n");
    command->callback([settings] { run(*settings); });
}

} // namespace fingerpost::cli
