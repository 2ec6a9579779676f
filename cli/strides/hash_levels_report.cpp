// The rows of `fingerpost lab strides --hash`.
#include "cli/strides/hash_levels_report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <span>

#include "fingerpost/rib/hash_levels.inl.hpp"
#include "terminal/json_writer.hpp"

namespace fingerpost::cli {
namespace {

using clock = std::chrono::steady_clock;

double milliseconds_since(clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
}

// Tables of keys and answers are 3/4 full; an array has only answers.
double bytes_of(const hashed_levels& plan) {
    constexpr double entry = 16, load = 0.75, slot = 4;
    const double in_array = plan.first_is_array && !plan.lengths.empty() ? std::exp2(plan.lengths[0]) : 0;
    return std::ceil((plan.keys - in_array) * entry / load) + in_array * slot;
}

hashed_levels as_row(const std::optional<level_plan>& plan, unsigned levels, bool first_is_array) {
    hashed_levels row{.levels = levels, .first_is_array = first_is_array};
    if (plan) {
        row.is_possible = true;
        row.is_bound = plan->is_bound;
        row.lengths = plan->lengths;
        row.keys = plan->keys;
        row.markers = plan->markers;
        row.bytes = bytes_of(row);
    }
    return row;
}

// Writes whole numbers as long as they are exact.
void put_count(bench::json_writer& json, std::string_view name, double count) {
    if (count < std::exp2(53))
        json.member(name, static_cast<std::uint64_t>(count));
    else
        json.member(name, count);
}

unsigned family_number(const family_levels& family) {
    return family.kind == family::ipv4 ? 4 : 6;
}
std::string_view first_of(const hashed_levels& plan) {
    return plan.first_is_array ? "array" : "hash";
}

} // namespace

template <class A>
family_levels measure_levels(const std::vector<route<A>>& routes, const level_choice& choice) {
    constexpr unsigned longest = 64;
    std::vector<route<A>> served;
    std::copy_if(routes.begin(), routes.end(), std::back_inserter(served),
                 [](const route<A>& r) { return r.where.length <= longest; });
    family_levels result{
        .kind = family_of<A>, .routes = routes.size(), .longer = routes.size() - served.size()};
    clock::time_point begin = clock::now();
    const level_counts counts = count_levels<A>(std::span<const route<A>>(served));
    result.count_milliseconds = milliseconds_since(begin);
    for (unsigned levels = choice.first; levels <= choice.last; ++levels)
        for (const bool array : {false, true}) {
            begin = clock::now();
            const auto plan = best_levels(counts, levels, array ? choice.widest_array : 0);
            const double time = milliseconds_since(begin);
            result.plans.push_back(as_row(plan, levels, array));
            result.plans.back().milliseconds = time;
        }
    if (choice.lengths.empty() || choice.lengths.back() < counts.longest())
        return result;
    for (const bool array : {false, true}) {
        const auto plan = cost_of_levels(counts, choice.lengths, array);
        result.plans.push_back(as_row(plan, static_cast<unsigned>(choice.lengths.size()), array));
        result.plans.back().is_given = true;
    }
    return result;
}
template family_levels measure_levels(const std::vector<route<ipv4_address>>&, const level_choice&);
template family_levels measure_levels(const std::vector<route<ipv6_address>>&, const level_choice&);

std::string levels_text(const std::vector<family_levels>& families) {
    std::string out;
    for (const family_levels& family : families) {
        out += fmt::format("{}{} routes (IPv{}), {} longer than /64 left out, counted in {:.0f} ms\n",
                           out.empty() ? "" : "\n", family.routes, family_number(family), family.longer,
                           family.count_milliseconds);
        out += fmt::format("{:>6}  {:<5} {:>16} {:>12} {:>14} {:>8}  {}\n", "levels", "first", "keys",
                           "markers", "KB", "ms", "lengths");
        for (const hashed_levels& p : family.plans) {
            out += fmt::format("{:>6}  {:<5} ", p.levels, first_of(p));
            if (!p.is_possible) {
                out += fmt::format("{:>16}\n", "-");
                continue;
            }
            const std::string time = p.is_given ? "given" : fmt::format("{:.2f}", p.milliseconds);
            out += fmt::format("{:>16} {:>12.0f} {:>14.0f} {:>8}  {}\n",
                               fmt::format("{}{:.0f}", p.is_bound ? "<= " : "", p.keys), p.markers,
                               std::ceil(p.bytes / 1024), time, fmt::join(p.lengths, " "));
        }
    }
    return out;
}

std::string levels_csv(const std::vector<family_levels>& families) {
    std::string out = "family,levels,first,lengths,keys,is_bound,markers,bytes,ms\n";
    for (const family_levels& family : families)
        for (const hashed_levels& p : family.plans) {
            out += fmt::format("{},{},{},{},", family_number(family), p.levels, first_of(p),
                               fmt::join(p.lengths, " "));
            out += p.is_possible
                       ? fmt::format("{:.0f},{},{:.0f},{:.0f},{}\n", p.keys, p.is_bound ? 1 : 0, p.markers,
                                     p.bytes, p.is_given ? "" : fmt::format("{:.3f}", p.milliseconds))
                       : ",,,,\n";
        }
    return out;
}

std::string levels_json(const std::vector<family_levels>& families) {
    bench::json_writer json;
    json.begin_array();
    for (const family_levels& family : families)
        for (const hashed_levels& p : family.plans) {
            json.begin_object();
            json.member("family", family_number(family));
            json.member("levels", p.levels);
            json.member("first", first_of(p));
            json.member("lengths", p.lengths);
            if (p.is_possible) {
                put_count(json, "keys", p.keys);
                json.member("is_bound", p.is_bound);
                put_count(json, "markers", p.markers);
                put_count(json, "bytes", p.bytes);
                if (!p.is_given)
                    json.member("ms", p.milliseconds);
            }
            json.end_object();
        }
    json.end_array();
    return json.take();
}

} // namespace fingerpost::cli
