// Reads or generates a table for the benchmark, and assigns its next hops.
#include "bench/command/bench_table.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "bench/workloads/generate/generate.hpp"
#include "bench/workloads/generate/next_hops.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

std::vector<std::string> fields_of(const std::string& text) {
    std::vector<std::string> fields{""};
    for (const char c : text) {
        if (c == ':')
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

// Parses `NAME[:ROUTES[:MODEL[:SEED]]]`. Empty fields mean the default, as in `rrc00-25::uniform`. Returns an
// error message. `fields` contains the name and must outlive the options.
std::string read_generated(const std::vector<std::string>& fields, bench::generate_options& into) {
    if (fields.size() > 4)
        return "more than NAME:ROUTES:MODEL:SEED";
    into.shares = fields[0];
    std::string reason = fields[0].empty() ? "" : refuse_name(fields[0], bench::share_names());
    std::uint64_t routes = 0;
    if (reason.empty() && fields.size() > 1 && !fields[1].empty())
        reason = read_number(fields[1], {1, bench::most_routes}, routes);
    into.routes = routes;
    if (reason.empty() && fields.size() > 2 && !fields[2].empty()) {
        std::vector<std::string> names;
        for (const bench::named_model& model : bench::address_models) {
            names.emplace_back(model.name);
            if (fields[2] == model.name)
                into.model = model.model;
        }
        reason = refuse_name(fields[2], names);
    }
    if (reason.empty() && fields.size() > 3 && !fields[3].empty())
        reason = read_number(fields[3], {}, into.seed);
    return reason;
}

template <class A>
std::vector<route<A>> generated_routes(const bench::generate_options& options) {
    auto table_or_error = bench::generate<A>(options);
    if (!table_or_error)
        throw usage_error("--generate: " + table_or_error.error());
    return std::move(*table_or_error);
}

bench_table generate_table(const bench_table_choice& choice) {
    const std::vector<std::string> fields = fields_of(choice.generated);
    bench::generate_options options;
    (void)read_generated(fields, options);
    unsigned bits = choice.file.family == 4 ? 32 : 128;
    const bench::share_table* shares = bench::find_share_table(options.shares);
    if (shares != nullptr && choice.file.family == 0)
        bits = shares->address_bits;
    const std::string_view words =
        choice.generated.empty() ? bench::default_shares(bits) : std::string_view(choice.generated);
    const std::string name = fmt::format("generated {}", words);
    if (bits == 32)
        return {name, generated_routes<ipv4_address>(options)};
    return {name, generated_routes<ipv6_address>(options)};
}

bench_table read_table(const table_choice& file) {
    io::one_table table = load(file);
    const std::string name =
        file.path == "-" ? "stdin" : std::filesystem::path(file.path).filename().string();
    return std::visit([&](auto& t) { return bench_table{name, std::move(t.routes)}; }, table);
}

} // namespace

void add_bench_table_options(command& to, bench_table_choice& table) {
    add_table_file(to, table.file);
    add_option(to,
               {.name = "--generate",
                .value = "NAME[:ROUTES[:MODEL[:SEED]]]",
                .help = "Use a generated table, see `fingerpost help lab generate` (default without --table)",
                .choices = bench::share_names(),
                .excludes = "--table",
                .take = [&table](const std::string& text) {
                    table.generated = text;
                    bench::generate_options unused;
                    const std::vector<std::string> fields = fields_of(text);
                    return read_generated(fields, unused);
                }});
    add_family(to, table.file.family, "Use only IPv4 (4) or IPv6 (6) routes");
    add_flag(to, "--strict", table.file.strict, "Reject prefixes with host bits set, such as 10.0.0.1/8")
        .needs = "--table";
    add_format_options(to, table.file, "--table");
    const std::vector<std::string> dealings = {"unmerged", "unique", "clustered:N", "random:N", "file"};
    add_option(to,
               {.name = "--next-hops",
                .value = "DEALING",
                .help = "How next hops are assigned: unmerged (neighbours always differ), unique (one per "
                        "route), clustered:N, random:N, or file (those of the table)",
                .preset = table.next_hops,
                .choices = {"unmerged", "unique", "clustered:", "random:", "file"},
                .take = [&table, dealings](const std::string& text) {
                    table.next_hops = text;
                    const bool known = text == "file" || bench::parse_dealing(text);
                    return known ? std::string() : refuse_name(text, dealings);
                }});
    add_number(to, "--seed", table.seed, {}, "Random seed");
}

bench_table make_bench_table(const bench_table_choice& choice) {
    bench_table table = choice.file.path.empty() ? generate_table(choice) : read_table(choice.file);
    if (const auto dealing = bench::parse_dealing(choice.next_hops))
        std::visit(
            [&]<class A>(std::vector<route<A>>& routes) {
                bench::deal_next_hops<A>(routes, *dealing, choice.seed);
            },
            table.routes);
    return table;
}

} // namespace fingerpost::cli
