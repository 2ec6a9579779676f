// `fingerpost strides`: what multibit tries of so many levels would take for a table at best, as Tables 5 to
// 10 of Srinivasan and Varghese show it.
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/json_writer.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/table_choice.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/rib/strides.hpp"

namespace fingerpost::cli {
namespace {

struct strides_options {
    table_choice table;
    unsigned first = 2;
    unsigned last = 8;
    unsigned widest = 24;
    std::string format = "text";
};

// What the worst lookup costs, in clocks and loads, and in time on the paper's machine.
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
    std::string_view stride{}; // fixed or variable
    unsigned levels = 0;
    std::optional<std::uint64_t> slots{}; // none when the widest stride is too small
    std::vector<std::uint8_t> strides{};  // of a variable trie that of the root; 0 where its path is skipped
    trie_kind pushed{};
    trie_kind open{};
};
struct family_strides {
    family kind = family::ipv6;
    std::size_t routes = 0;
    unsigned longest = 0;
    std::vector<best_trie> tries{};
};

// A Pentium II of 300 MHz: a load takes 15 ns from its cache of 512 KB and 75 ns from memory.
lookup_cost worst_lookup(unsigned clocks, unsigned levels, std::uint64_t bytes) {
    const double load = bytes <= 512 * 1024 ? 15 : 75;
    return {clocks, levels, clocks * (1000.0 / 300) + levels * load};
}

void add_costs(best_trie& trie) {
    const unsigned k = trie.levels;
    const bool fixed = trie.stride == "fixed";
    const std::uint64_t pushed = *trie.slots * 4, open = *trie.slots * 8;
    trie.pushed = {pushed, worst_lookup(fixed ? 6 * k + 4 : 8 * k + 2, k, pushed)};
    trie.open = {open, worst_lookup(fixed ? 10 * k + 1 : 12 * k - 1, k, open)};
}

best_trie best_fixed(const vertex_counts& counts, const stride_choice& choice) {
    best_trie trie{.stride = "fixed", .levels = choice.levels};
    auto plan = fixed_strides(counts, choice);
    if (plan) {
        trie.slots = plan->cost;
        trie.strides = std::move(plan->strides);
        add_costs(trie);
    }
    return trie;
}

best_trie best_variable(const variable_plan& plan, std::size_t first_route, unsigned levels) {
    best_trie trie{.stride = "variable", .levels = levels};
    if (plan.cost(levels) < impossible) {
        trie.slots = plan.cost(levels);
        if (*trie.slots > 0)
            trie.strides = {static_cast<std::uint8_t>(plan.stride(first_route, 0, levels))};
        add_costs(trie);
    }
    return trie;
}

template <class A>
family_strides measure(const std::vector<route<A>>& routes, const strides_options& options) {
    const vertex_counts counts = count_vertices<A>(routes);
    stride_choice choice{.levels = options.last, .widest = options.widest, .widest_root = options.widest};
    // Long IPv6 routes that lie alone would need many levels; a path costs as much as two slots.
    if (A::bits > 32)
        choice.skip_price = 2;
    progress now;
    now.show("choosing variable strides");
    const auto variable = variable_plan::of<A>(routes, choice);
    const std::size_t first_route = !routes.empty() && routes[0].where.length == 0 ? 1 : 0;
    family_strides found{.kind = family_of<A>, .routes = routes.size(), .longest = counts.longest()};
    for (unsigned levels = options.first; levels <= options.last; ++levels) {
        choice.levels = levels;
        found.tries.push_back(best_fixed(counts, choice));
        found.tries.push_back(best_variable(variable, first_route, levels));
    }
    return found;
}

std::string strides_text(const best_trie& trie) {
    if (!trie.slots || trie.strides.empty())
        return "-";
    if (trie.stride == "fixed")
        return fmt::format("{}", fmt::join(trie.strides, " "));
    return fmt::format("{}, ...", trie.strides[0]);
}

std::string as_text(const family_strides& found) {
    std::string out = fmt::format("{} routes (IPv{}), the longest /{}\n", found.routes,
                                  found.kind == family::ipv4 ? 4 : 6, found.longest);
    out += fmt::format("{:>6}  {:<8} {:>12}  {:>12} {:>5} {:>6}  {:>12} {:>5} {:>6}  {}\n", "levels",
                       "stride", "slots", "pushed KB", "clk", "ns", "open KB", "clk", "ns", "strides");
    for (const best_trie& t : found.tries) {
        out += fmt::format("{:>6}  {:<8} ", t.levels, t.stride);
        if (!t.slots) {
            out += fmt::format("{:>12}\n", "-");
            continue;
        }
        const auto kind = [](const trie_kind& k) {
            return fmt::format("{:>12} {:>5} {:>6.0f}  ", (k.bytes + 1023) / 1024, k.worst.clocks,
                               k.worst.nanoseconds);
        };
        out += fmt::format("{:>12}  {}{}{}\n", *t.slots, kind(t.pushed), kind(t.open), strides_text(t));
    }
    return out;
}

std::string as_csv(const std::vector<family_strides>& families) {
    std::string out = "family,levels,stride,slots,strides,pushed_bytes,pushed_clocks,pushed_ns,"
                      "open_bytes,open_clocks,open_ns\n";
    const auto kind = [](const trie_kind& k) {
        return fmt::format(",{},{},{:.1f}", k.bytes, k.worst.clocks, k.worst.nanoseconds);
    };
    for (const family_strides& found : families)
        for (const best_trie& t : found.tries) {
            out += fmt::format("{},{},{},", found.kind == family::ipv4 ? 4 : 6, t.levels, t.stride);
            out += t.slots ? fmt::format("{},{}{}{}\n", *t.slots, fmt::join(t.strides, " "), kind(t.pushed),
                                         kind(t.open))
                           : ",,,,,,,\n";
        }
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
    for (const family_strides& found : families)
        for (const best_trie& t : found.tries) {
            json.begin_object();
            json.member("family", found.kind == family::ipv4 ? 4 : 6);
            json.member("levels", t.levels);
            json.member("stride", t.stride);
            json.key("slots");
            if (t.slots) {
                json.value(*t.slots);
                json.member("strides", t.strides);
                put_json(json, "pushed", t.pushed);
                put_json(json, "open", t.open);
            } else {
                json.null();
            }
            json.end_object();
        }
    json.end_array();
    return json.take();
}

std::string as_text(const std::vector<family_strides>& families) {
    std::string out;
    for (const family_strides& found : families)
        out += (out.empty() ? "" : "\n") + as_text(found);
    return out;
}

// `2..8`, or one number.
std::string read_levels(const std::string& text, strides_options& into) {
    constexpr number_range range{1, 32};
    const std::size_t dots = text.find("..");
    const std::string second = dots == std::string::npos ? text : text.substr(dots + 2);
    std::uint64_t first = 0, last = 0;
    std::string reason = read_number(text.substr(0, dots), range, first);
    if (reason.empty())
        reason = read_number(second, range, last);
    if (!reason.empty() || last < first)
        return fmt::format("'{}' is not a number of levels from 1 to 32, or two of them as in 2..8", text);
    into.first = static_cast<unsigned>(first);
    into.last = static_cast<unsigned>(last);
    return {};
}

} // namespace

command strides_command() {
    auto options = std::make_shared<strides_options>();
    command made{.name = "strides", .summary = "find the best strides of multibit tries for a table"};
    add_table_options(made, options->table);
    add_option(made, {.name = "--levels",
                      .value = "N..M",
                      .help = "how many levels at most",
                      .preset = "2..8",
                      .take = [options](const std::string& text) { return read_levels(text, *options); }});
    add_number(made, "--widest", options->widest, {1, 32}, "how many bits one node looks at, at most");
    add_choice<std::string>(made, "--format", options->format,
                            {{"text", "text"}, {"csv", "csv"}, {"json", "json"}},
                            "for people or for programs");
    made.examples = {{"fingerpost strides -t table.txt",
                      "slots, memory and worst lookup for 2 to 8 levels, fixed and variable strides"},
                     {"fingerpost strides -t table.txt --levels 4 --format csv", "for a spreadsheet"}};
    made.run = [options] {
        io::both_tables tables = load_both(options->table);
        std::vector<family_strides> families;
        for_each_family(tables, options->table,
                        [&](auto& table) { families.push_back(measure(table.routes, *options)); });
        output out;
        out.write(options->format == "json"  ? as_json(families)
                  : options->format == "csv" ? as_csv(families)
                                             : as_text(families));
        out.finish();
        return exit_code::ok;
    };
    return made;
}

} // namespace fingerpost::cli
