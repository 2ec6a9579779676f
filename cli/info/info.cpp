// `fingerpost info`: describes a table, the memory that schemes need for it, and the FIB of one scheme.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/workloads/table_stats.hpp"
#include "cli/answers/answer_table.hpp"
#include "cli/info/inspection.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/registry/registry.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/histogram.hpp"
#include "terminal/json_writer.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

// `bytes` is empty if the scheme cannot hold the table. Then `refusal` has the reason.
struct scheme_memory {
    std::string_view name;
    std::optional<std::size_t> bytes;
    std::string_view refusal;
};

struct table_info {
    family kind = family::ipv6;
    bench::table_stats stats;
    std::size_t intervals = 0; // after merging equal neighbours
    std::size_t next_hops = 0; // number of different rows of values
    std::vector<std::string> columns;
    io::table_counts counts;
    std::vector<scheme_memory> memory;
    std::optional<inspection> inside; // the scheme, if only one is named
};

// The values of a table include those of routes that later routes replaced.
template <class A>
std::size_t hops_in_use(const std::vector<route<A>>& routes, std::size_t names) {
    std::vector<bool> used(names);
    for (const route<A>& r : routes)
        used[r.hop.id] = true;
    return static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
}

// Without names, the default scheme.
template <class A>
std::vector<const scheme_entry<A>*> shown_schemes(const std::vector<std::string>& names) {
    if (names.empty())
        return {&default_scheme<A>()};
    return schemes_named<A>(names);
}

// `saved` is the image of the table, or nullptr. Its FIB is shown if no scheme is named or only the image's
// own. Several schemes are always built, so that their sizes can be compared.
template <class A>
void measure_schemes(const routes<A>& table, const image<A>* saved, const inspection_choice& choice,
                     table_info& info) {
    progress now;
    const auto add = [&](const scheme_entry<A>& scheme, const any_fib<A>& fib) {
        info.memory.push_back({scheme.facts.name, total_bytes(fib.memory_parts()), {}});
        if (names_one(choice))
            info.inside = inspect(scheme, fib, table, choice);
    };
    if (saved != nullptr &&
        (choice.schemes.empty() || (names_one(choice) && choice.schemes[0] == saved->scheme().facts.name)))
        return add(saved->scheme(), saved->fib());
    for (const scheme_entry<A>* const scheme : shown_schemes<A>(choice.schemes)) {
        now.show(fmt::format("building {}", scheme->facts.name));
        // The seed is fixed, so that a table always has the same sizes.
        const auto fib = scheme->build(table, {.hash_seed = 1});
        if (!fib && names_one(choice))
            throw failure(fmt::format("{} cannot be built: {}", scheme->facts.name, message(fib.error())));
        if (fib)
            add(*scheme, **fib);
        else
            info.memory.push_back({scheme->facts.name, std::nullopt, message(fib.error())});
    }
}

template <class A>
table_info measure(io::loaded_table<A> table, const image<A>* saved, const inspection_choice& choice) {
    table_info info;
    info.kind = family_of<A>;
    info.stats = bench::measure_table<A>(table.routes, {});
    info.next_hops = hops_in_use(table.routes, table.values.size());
    for (std::size_t i = 0; i < table.values.columns(); ++i)
        info.columns.emplace_back(table.values.name(i));
    info.counts = table.counts;
    const routes<A> sorted(std::move(table.routes));
    info.intervals = sorted.intervals().size();
    measure_schemes(sorted, saved, choice, info);
    return info;
}

template <class A>
const std::optional<image<A>>& image_of(const both_images& images) {
    if constexpr (A::bits == ipv4_address::bits)
        return images.ipv4;
    else
        return images.ipv6;
}

std::vector<table_info> measure_all(const table_choice& choice, const inspection_choice& inside) {
    io::found_tables input = find_tables(choice);
    both_images images;
    io::both_tables tables;
    if (auto* const mapped = std::get_if<both_images>(&input)) {
        images = std::move(*mapped);
        tables = copy_tables(images, choice);
    } else {
        tables = std::get<io::both_tables>(std::move(input));
    }
    std::vector<table_info> families;
    const auto add = [&]<class A>(io::loaded_table<A>& table) {
        const std::optional<image<A>>& saved = image_of<A>(images);
        families.push_back(measure(std::move(table), saved ? &*saved : nullptr, inside));
    };
    for_each_family(tables, choice, add);
    return families;
}

void put_json(bench::json_writer& json, const std::string& path, const table_info& info,
              const inspection_choice& choice) {
    json.begin_object();
    json.member("table", path);
    json.member("family", info.kind == family::ipv4 ? 4 : 6);
    json.member("routes", info.stats.routes);
    json.member("next_hops", info.next_hops);
    json.member("columns", info.columns);
    json.member("lines", info.counts.lines);
    json.member("duplicates", info.counts.duplicates);
    json.member("masked", info.counts.masked);
    json.member("other_family", info.counts.other_family);
    json.member("boundaries", info.stats.boundaries);
    json.member("intervals", info.intervals);
    json.key("lengths");
    json.begin_object();
    for (std::size_t length = 0; length < info.stats.lengths.size(); ++length)
        if (info.stats.lengths[length] != 0)
            json.member(std::to_string(length), info.stats.lengths[length]);
    json.end_object();
    json.key("nesting");
    json.begin_object();
    for (std::size_t depth = 1; depth < info.stats.nesting.size(); ++depth)
        json.member(std::to_string(depth), info.stats.nesting[depth]);
    json.end_object();
    json.key("memory");
    json.begin_object();
    for (const scheme_memory& m : info.memory) {
        json.key(m.name);
        if (m.bytes)
            json.value(*m.bytes);
        else
            json.null();
    }
    json.end_object();
    if (info.inside) {
        json.member("scheme", choice.schemes[0]);
        put_json(json, *info.inside, choice);
    }
    json.end_object();
}

// One object, or an array of two for a table with both families.
std::string as_json(const std::string& path, const std::vector<table_info>& families,
                    const inspection_choice& choice) {
    bench::json_writer json;
    if (families.size() > 1)
        json.begin_array();
    for (const table_info& info : families)
        put_json(json, path, info, choice);
    if (families.size() > 1)
        json.end_array();
    return json.take();
}

std::string as_text(const std::string& path, const table_info& info, const inspection_choice& choice) {
    const std::size_t routes = info.stats.routes;
    std::string out = fmt::format("{:<11} {}\n", "table", path);
    out += fmt::format("{:<11} {} ({})\n", "routes", routes, name_of(info.kind));
    out += fmt::format("{:<11} {}\n", "next hops", info.next_hops);
    if (info.columns.size() > 1)
        out += fmt::format("{:<11} {}\n", "columns",
                           io::printable(fmt::format("{}", fmt::join(info.columns, ", "))));
    out += fmt::format("{:<11} {} ({:.2f} a route; {} before equal neighbours merge)\n", "intervals",
                       info.intervals, ratio(info.intervals, routes), info.stats.boundaries);
    out += histogram("lengths", "/", info.stats.lengths, routes);
    out += histogram("nesting", "", info.stats.nesting, routes);
    std::string_view label = "memory";
    for (const scheme_memory& m : info.memory) {
        const std::string amount =
            m.bytes ? fmt::format("{:>11} bytes {:>8.1f} a route", *m.bytes, ratio(*m.bytes, routes))
                    : fmt::format("not built: {}", m.refusal);
        out += fmt::format("{:<11} {:<20} {}\n", std::exchange(label, ""), m.name, amount);
    }
    return info.inside ? out + as_text(*info.inside, choice) : out;
}

std::string as_text(const std::string& path, const std::vector<table_info>& families,
                    const inspection_choice& choice) {
    std::string out;
    for (const table_info& info : families)
        out += (out.empty() ? "" : "\n") + as_text(path, info, choice);
    return out;
}

} // namespace

command info_command() {
    struct info_options {
        table_choice table;
        inspection_choice inside;
        bool is_json = false;
    };
    auto options = std::make_shared<info_options>();
    command result{.name = "info", .summary = "show the size, prefix lengths and memory of a table"};
    add_table_options(result, options->table);
    add_json(result, options->is_json);
    add_inspection_options(result, options->inside);
    result.examples = {
        {"fingerpost info table.txt", "Summarize a table"},
        {"fingerpost info table.txt --scheme default", "Compare the memory of the standard schemes"},
        {fmt::format("fingerpost info table.txt --scheme {} --steps", default_baseline()),
         "Show one scheme in detail"},
        {"xz -dc table.txt.xz | fingerpost info - --format json", "Read a pipe; write JSON"}};
    result.run = [options] {
        if (options->inside.steps && !names_one(options->inside))
            throw usage_error("--steps needs one scheme");
        const std::vector<table_info> families = measure_all(options->table, options->inside);
        const std::string path = options->table.path == "-" ? "stdin" : options->table.path;
        output out;
        out.write(options->is_json ? as_json(path, families, options->inside)
                                   : as_text(path, families, options->inside));
        out.finish();
        return exit_code::ok;
    };
    return result;
}

} // namespace fingerpost::cli
