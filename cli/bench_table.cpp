// Reads or generates a table for the benchmark, and deals its next hops.
#include "cli/bench_table.hpp"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "bench/workloads/generate.hpp"
#include "bench/workloads/next_hops.hpp"
#include "cli/failure.hpp"

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

std::uint64_t number_of(const std::string& text, const std::string& whole) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc{} || stop != end)
        throw usage_error(fmt::format("--generate {}: '{}' is no number", whole, text));
    return number;
}

bench::address_model model_of(const std::string& text, const std::string& whole) {
    std::string names;
    for (const bench::named_model& one : bench::address_models) {
        if (text == one.name)
            return one.model;
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    throw usage_error(fmt::format("--generate {}: no model '{}'; there are: {}", whole, text, names));
}

// An empty field means the default, as in `rrc00-25::uniform`. `fields` must outlive the options.
bench::generate_options options_of(const std::vector<std::string>& fields, const std::string& whole) {
    if (fields.size() > 4)
        throw usage_error(fmt::format("--generate {}: want NAME[:ROUTES[:MODEL[:SEED]]]", whole));
    bench::generate_options options;
    options.shares = fields[0];
    if (fields.size() > 1 && !fields[1].empty())
        options.routes = number_of(fields[1], whole);
    if (fields.size() > 2 && !fields[2].empty())
        options.model = model_of(fields[2], whole);
    if (fields.size() > 3 && !fields[3].empty())
        options.seed = number_of(fields[3], whole);
    return options;
}

template <class A>
std::vector<route<A>> generated_routes(const bench::generate_options& options) {
    auto made = bench::generate<A>(options);
    if (!made)
        throw usage_error("--generate: " + made.error());
    return std::move(*made);
}

bench_table generate_table(const bench_table_choice& choice) {
    const std::vector<std::string> fields = fields_of(choice.generated);
    const bench::generate_options options = options_of(fields, choice.generated);
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
    io::any_table table = load(file);
    const std::string name =
        file.path == "-" ? "stdin" : std::filesystem::path(file.path).filename().string();
    return std::visit([&](auto& t) { return bench_table{name, std::move(t.routes)}; }, table);
}

} // namespace

void add_bench_table_options(CLI::App& command, bench_table_choice& table) {
    auto* const file =
        command
            .add_option("-t,--table", table.file.path,
                        "text of `prefix` or `prefix next_hop` lines, also gz, bz2, xz or zst; "
                        "- is stdin")
            ->type_name("FILE");
    command
        .add_option("--generate", table.generated,
                    "a generated table, as `fingerpost generate` makes it; the default without --table")
        ->type_name("NAME[:ROUTES[:MODEL[:SEED]]]")
        ->excludes(file);
    command.add_option("--family", table.file.family, "only routes of this family")
        ->check(CLI::IsMember({4, 6}).description(""))
        ->type_name("4|6");
    command.add_flag("--strict", table.file.strict, "refuse prefixes with bits set past their length")
        ->needs(file);
    command
        .add_option("--next-hops", table.next_hops,
                    "how they are dealt: unmerged (no neighbouring intervals merge), unique (one a route), "
                    "clustered:N, random:N, or file to keep the table's own")
        ->capture_default_str();
    command
        .add_option("--seed", table.seed,
                    "of all that is drawn: addresses, next hops, changes, the order of the cases")
        ->capture_default_str();
}

bench_table make_bench_table(const bench_table_choice& choice) {
    const auto dealing = bench::parse_dealing(choice.next_hops);
    if (!dealing && choice.next_hops != "file")
        throw usage_error(fmt::format(
            "--next-hops {}: there are: unmerged, unique, clustered:N, random:N, file", choice.next_hops));
    bench_table table = choice.file.path.empty() ? generate_table(choice) : read_table(choice.file);
    if (dealing)
        std::visit(
            [&]<class A>(std::vector<route<A>>& routes) {
                bench::deal_next_hops<A>(routes, *dealing, choice.seed);
            },
            table.routes);
    return table;
}

} // namespace fingerpost::cli
