// `fingerpost lab strides`: the least memory of multibit tries for a table by number of levels, as in Tables
// 5 to 10 of Srinivasan and Varghese.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/strides/hash_levels_report.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/rib/hash_levels.inl.hpp"
#include "fingerpost/rib/strides.inl.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/json_writer.hpp"
#include "terminal/options.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct strides_options {
    table_choice table;
    unsigned first = 2;
    unsigned last = 0; // 0: the default
    unsigned widest = 24;
    bool as_in_paper = false;
    bool hash = false;
    std::vector<std::uint8_t> lengths{};
    std::string format = "text";
};

// The cost of the worst lookup in clocks and loads, and in time on the paper's machine.
struct lookup_cost {
    unsigned clocks = 0;
    unsigned loads = 0;
    double nanoseconds = 0;
};
struct trie_kind {
    std::uint64_t bytes = 0;
    lookup_cost worst;
};
struct best_trie {
    std::string_view stride{}; // fixed, variable, or packed (variable with packed arrays)
    unsigned levels = 0;
    std::optional<std::uint64_t> slots{}; // unset if the widest stride is too small, and for packed tries
    std::vector<std::uint8_t> strides{};  // of the root for a variable trie; 0 where its path is skipped
    std::optional<trie_kind> pushed{};
    std::optional<trie_kind> open{};

    bool is_possible() const noexcept { return pushed && open; }
};
struct family_strides {
    family kind = family::ipv6;
    std::size_t routes = 0;
    unsigned longest = 0;
    std::vector<best_trie> tries{};
};

// The sizes of slots and of packed arrays.
struct slot_sizes {
    std::uint64_t pushed; // in bytes
    std::uint64_t open;
    packed_arrays pushed_runs; // costs in bytes
    packed_arrays open_runs;
    bool as_in_paper;
};

// A word that marks the ends of runs and one slot per run, in at most one line of 64 bytes.
template <std::uint64_t Slot, std::uint64_t MostRuns>
std::uint64_t packed_here(unsigned stride, std::uint64_t runs) noexcept {
    if (stride > 8 || runs > MostRuns)
        return impossible;
    return sizeof(std::uint64_t) + (runs * Slot + 7) / 8 * 8;
}
// The paper states that such an array fits in a cache line, which had 32 bytes. Here each run has an index of
// one or two bytes and a slot.
template <std::uint64_t Slot>
std::uint64_t packed_in_paper(unsigned stride, std::uint64_t runs) noexcept {
    const std::uint64_t bytes = runs * (Slot + (stride > 8 ? 2 : 1));
    return stride > 16 || bytes > 32 ? impossible : bytes;
}

slot_sizes sizes_of(bool as_in_paper, next_hop everywhere) {
    slot_sizes sizes{4, 8, {packed_here<4, 9>}, {packed_here<8, 7>}, as_in_paper};
    if (as_in_paper)
        sizes = {3, 6, {packed_in_paper<3>}, {packed_in_paper<6>}, as_in_paper};
    sizes.pushed_runs.everywhere = everywhere;
    sizes.pushed_runs.slot_cost = sizes.pushed;
    sizes.open_runs.pushed = false;
    sizes.open_runs.slot_cost = sizes.open;
    return sizes;
}

// Follows Table 9 with its second and third rows exchanged, which Table 10 shows to be intended.
unsigned clocks_of(std::string_view stride, bool pushed, unsigned k) {
    if (stride == "fixed")
        return pushed ? 6 * k + 4 : 8 * k + 2;
    if (stride == "variable")
        return pushed ? 10 * k + 1 : 12 * k - 1;
    return pushed ? 8 * k + 12 : 12 * k + 5;
}

// A Pentium II at 300 MHz: a load takes 15 ns from its cache of 512 KB and 75 ns from memory. The paper's
// Table 10 adds a next-hop table with two bytes per route. It treats the first level of a pushed trie as
// cached even if it is slightly larger than the cache, up to 660 KB, so that is the limit here.
trie_kind costed(const best_trie& trie, bool pushed, std::uint64_t bytes, const slot_sizes& sizes,
                 std::size_t routes) {
    constexpr std::uint64_t cache = 512 * 1024, slightly_larger = 660 * 1024;
    trie_kind kind{.bytes = bytes + (sizes.as_in_paper ? 2 * routes : 0),
                   .worst = {clocks_of(trie.stride, pushed, trie.levels), trie.levels}};
    const bool first_is_cached =
        sizes.as_in_paper && pushed && kind.bytes > cache && kind.bytes <= slightly_larger;
    const unsigned cached = kind.bytes <= cache ? trie.levels : first_is_cached ? 1 : 0;
    kind.worst.nanoseconds =
        kind.worst.clocks * (1000.0 / 300) + cached * 15.0 + (trie.levels - cached) * 75.0;
    return kind;
}

void add_costs(best_trie& trie, const slot_sizes& sizes, std::size_t routes) {
    trie.pushed = costed(trie, true, *trie.slots * sizes.pushed, sizes, routes);
    trie.open = costed(trie, false, *trie.slots * sizes.open, sizes, routes);
}

best_trie best_fixed(const vertex_counts& counts, const stride_choice& choice) {
    best_trie trie{.stride = "fixed", .levels = choice.levels};
    auto plan = fixed_strides(counts, choice);
    if (plan) {
        trie.slots = plan->cost;
        trie.strides = std::move(plan->strides);
    }
    return trie;
}

// The results of the dynamic programs for variable strides, with and without packed arrays.
struct variable_programs {
    variable_plan plain;
    variable_plan pushed; // with packed arrays
    variable_plan open;
};

best_trie best_variable(const variable_plan& plan, std::size_t first_route, unsigned levels) {
    best_trie trie{.stride = "variable", .levels = levels};
    if (plan.cost(levels) < impossible) {
        trie.slots = plan.cost(levels);
        if (*trie.slots > 0)
            trie.strides = {static_cast<std::uint8_t>(plan.stride(first_route, 0, levels))};
    }
    return trie;
}
best_trie best_packed(const variable_programs& programs, unsigned levels, const slot_sizes& sizes,
                      std::size_t routes) {
    best_trie trie{.stride = "packed", .levels = levels};
    if (programs.pushed.cost(levels) < impossible && programs.open.cost(levels) < impossible) {
        trie.pushed = costed(trie, true, programs.pushed.cost(levels), sizes, routes);
        trie.open = costed(trie, false, programs.open.cost(levels), sizes, routes);
    }
    return trie;
}

template <class A>
variable_plan variable_program(std::span<const route<A>> routes, const strides_options& options,
                               const packed_arrays& packed) {
    stride_choice choice{
        .levels = options.last, .widest = options.widest, .widest_root = options.widest, .packed = packed};
    // Isolated long IPv6 routes would need many levels. A path costs eight bytes, or two slots if costs are
    // in slots.
    if (A::bits > 32)
        choice.skip_price = packed.cost == nullptr ? 2 : 8;
    return variable_plan::of<A>(routes, choice);
}

template <class A>
family_strides measure(const std::vector<route<A>>& routes, const strides_options& options) {
    const std::span<const route<A>> every_route(routes);
    const vertex_counts counts = count_vertices<A>(every_route);
    const std::size_t first_route = !routes.empty() && routes[0].where.length == 0 ? 1 : 0;
    const slot_sizes sizes = sizes_of(options.as_in_paper, first_route == 1 ? routes[0].hop : next_hop::none);
    progress now;
    now.show("choosing variable strides");
    const variable_programs programs{variable_program<A>(every_route, options, {}),
                                     variable_program<A>(every_route, options, sizes.pushed_runs),
                                     variable_program<A>(every_route, options, sizes.open_runs)};
    family_strides family{.kind = family_of<A>, .routes = routes.size(), .longest = counts.longest()};
    stride_choice choice{.widest = options.widest, .widest_root = options.widest};
    for (unsigned levels = options.first; levels <= options.last; ++levels) {
        choice.levels = levels;
        for (best_trie trie :
             {best_fixed(counts, choice), best_variable(programs.plain, first_route, levels)}) {
            if (trie.slots)
                add_costs(trie, sizes, routes.size());
            family.tries.push_back(std::move(trie));
        }
        family.tries.push_back(best_packed(programs, levels, sizes, routes.size()));
    }
    return family;
}

std::string strides_text(const best_trie& trie) {
    if (trie.strides.empty())
        return "-";
    if (trie.stride == "fixed")
        return fmt::format("{}", fmt::join(trie.strides, " "));
    return fmt::format("{}, ...", trie.strides[0]);
}
std::string slots_text(const best_trie& trie, std::string_view without) {
    return trie.slots ? fmt::format("{}", *trie.slots) : std::string(without);
}

std::string as_text(const family_strides& family) {
    std::string out = fmt::format("{} routes (IPv{}), the longest /{}\n", family.routes,
                                  family.kind == family::ipv4 ? 4 : 6, family.longest);
    out += fmt::format("{:>6}  {:<8} {:>12}  {:>12} {:>5} {:>6}  {:>12} {:>5} {:>6}  {}\n", "levels",
                       "stride", "slots", "pushed KB", "clk", "ns", "open KB", "clk", "ns", "strides");
    for (const best_trie& t : family.tries) {
        out += fmt::format("{:>6}  {:<8} {:>12}", t.levels, t.stride, slots_text(t, "-"));
        if (!t.is_possible()) {
            out += '\n';
            continue;
        }
        const auto kind = [](const trie_kind& k) {
            return fmt::format("{:>12} {:>5} {:>6.0f}  ", (k.bytes + 1023) / 1024, k.worst.clocks,
                               k.worst.nanoseconds);
        };
        out += fmt::format("  {}{}{}\n", kind(*t.pushed), kind(*t.open), strides_text(t));
    }
    return out;
}

std::string as_csv(const std::vector<family_strides>& families) {
    std::string out = "family,levels,stride,slots,strides,pushed_bytes,pushed_clocks,pushed_ns,"
                      "open_bytes,open_clocks,open_ns\n";
    const auto kind = [](const std::optional<trie_kind>& k) {
        return k ? fmt::format(",{},{},{:.1f}", k->bytes, k->worst.clocks, k->worst.nanoseconds) : ",,,";
    };
    for (const family_strides& family : families)
        for (const best_trie& t : family.tries)
            out +=
                fmt::format("{},{},{},{},{}{}{}\n", family.kind == family::ipv4 ? 4 : 6, t.levels, t.stride,
                            slots_text(t, ""), fmt::join(t.strides, " "), kind(t.pushed), kind(t.open));
    return out;
}

void put_json(bench::json_writer& json, std::string_view name, const trie_kind& kind) {
    json.key(name);
    json.begin_object();
    json.member("bytes", kind.bytes);
    json.member("clocks", kind.worst.clocks);
    json.member("loads", kind.worst.loads);
    json.member("ns", kind.worst.nanoseconds);
    json.end_object();
}

std::string as_json(const std::vector<family_strides>& families) {
    bench::json_writer json;
    json.begin_array();
    for (const family_strides& family : families)
        for (const best_trie& t : family.tries) {
            json.begin_object();
            json.member("family", family.kind == family::ipv4 ? 4 : 6);
            json.member("levels", t.levels);
            json.member("stride", t.stride);
            json.key("slots");
            if (t.slots)
                json.value(*t.slots);
            else
                json.null();
            if (t.slots)
                json.member("strides", t.strides);
            if (t.is_possible()) {
                put_json(json, "pushed", *t.pushed);
                put_json(json, "open", *t.open);
            }
            json.end_object();
        }
    json.end_array();
    return json.take();
}

std::string as_text(const std::vector<family_strides>& families) {
    std::string out;
    for (const family_strides& family : families)
        out += (out.empty() ? "" : "\n") + as_text(family);
    return out;
}

// Reads `2..8` or a single number.
std::string read_levels(const std::string& text, strides_options& into) {
    constexpr number_range range{1, 32};
    const std::size_t dots = text.find("..");
    const std::string second = dots == std::string::npos ? text : text.substr(dots + 2);
    std::uint64_t first = 0, last = 0;
    std::string reason = read_number(text.substr(0, dots), range, first);
    if (reason.empty())
        reason = read_number(second, range, last);
    if (!reason.empty() || last < first)
        return fmt::format("'{}' is not a number from 1 to 32, or a range such as 2..8", text);
    into.first = static_cast<unsigned>(first);
    into.last = static_cast<unsigned>(last);
    return {};
}

std::string tries_output(io::both_tables& tables, const strides_options& options) {
    std::vector<family_strides> families;
    for_each_family(tables, options.table,
                    [&](auto& table) { families.push_back(measure(table.routes, options)); });
    return options.format == "json"  ? as_json(families)
           : options.format == "csv" ? as_csv(families)
                                     : as_text(families);
}

std::string levels_output(io::both_tables& tables, const strides_options& options) {
    if (options.last > most_hash_levels)
        throw usage_error(fmt::format("--levels: {} is more than the 7 levels of --hash", options.last));
    if (options.lengths.size() > most_hash_levels)
        throw usage_error(fmt::format("--at: {} lengths are more than 7", options.lengths.size()));
    if (std::ranges::adjacent_find(options.lengths, std::ranges::greater_equal{}) != options.lengths.end())
        throw usage_error("--at: the lengths must ascend");
    const level_choice choice{.first = options.first,
                              .last = options.last,
                              .widest_array = options.as_in_paper ? 17u : 24u,
                              .lengths = options.lengths};
    std::vector<family_levels> families;
    for_each_family(tables, options.table,
                    [&](auto& table) { families.push_back(measure_levels(table.routes, choice)); });
    return options.format == "json"  ? levels_json(families)
           : options.format == "csv" ? levels_csv(families)
                                     : levels_text(families);
}

} // namespace

command strides_command() {
    auto options = std::make_shared<strides_options>();
    command result{.name = "lab strides",
                   .summary = "compute optimal strides for multibit tries and hash tables"};
    add_table_options(result, options->table);
    add_option(result, {.name = "--levels",
                        .value = "N..M",
                        .help = "Range of level counts to try",
                        .preset = "2..8; 2..7 with --hash",
                        .take = [options](const std::string& text) { return read_levels(text, *options); }});
    add_number(result, "--widest", options->widest, {1, 32}, "Largest stride in bits");
    add_flag(
        result, "--as-in-paper", options->as_in_paper,
        "Use the memory model of Srinivasan and Varghese: slots of 3 and 6 bytes, packed nodes of 32 bytes, "
        "2 bytes per route; with --hash, arrays of at most 17 bits");
    add_flag(result, "--hash", options->hash,
             "Optimize the levels of hash tables for a binary search on lengths, up to /64; the first may be "
             "an array");
    add_numbers(result, "--at", options->lengths, {1, 64}, "Evaluate levels at these lengths, too").needs =
        "--hash";
    add_choice<std::string>(result, "--format", options->format,
                            {{"text", "text"}, {"csv", "csv"}, {"json", "json"}}, "Output format");
    result.examples = {
        {"fingerpost lab strides table.txt", "Show slots, memory and worst lookup for 2 to 8 levels"},
        {"fingerpost lab strides table.txt --levels 4 --format csv", "Write CSV"},
        {"fingerpost lab strides table.txt --hash", "Show keys and memory of 2 to 7 levels of hash tables"}};
    result.run = [options] {
        if (options->last == 0)
            options->last = options->hash ? most_hash_levels : 8;
        io::both_tables tables = load_both(options->table);
        output out;
        out.write(options->hash ? levels_output(tables, *options) : tries_output(tables, *options));
        out.finish();
        return exit_code::ok;
    };
    return result;
}

} // namespace fingerpost::cli
