// Sweeps a table once and sorts the runs of addresses by value.
#include "cli/writers/address_sets.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "fingerpost/rib/intervals.hpp"
#include "io/format/parts/input_error.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// Calls take(row, range) for each longest run of addresses whose routes share a row.
template <class A, class F>
void for_each_run(std::span<const route<A>> routes, F&& take) {
    const interval_list<A> runs = elementary_intervals<A>(routes);
    A first{};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs.hops[i] != next_hop::none)
            take(runs.hops[i], address_range<A>{first, runs.ends[i]});
        first = A{static_cast<typename A::value_type>(runs.ends[i].value + 1)};
    }
}

template <class A>
std::vector<address_set<A>> one_set(const io::loaded_table<A>& table, std::string name) {
    std::vector<address_set<A>> sets;
    if (table.routes.empty())
        return sets;
    std::vector<route<A>> routes = table.routes;
    for (route<A>& r : routes)
        r.hop = next_hop{0};
    sets.push_back({std::move(name), {}});
    for_each_run<A>(routes, [&](next_hop, const address_range<A>& run) { sets[0].ranges.push_back(run); });
    return sets;
}

template <class A>
std::vector<address_set<A>> sets_by_value(const io::loaded_table<A>& table, std::string_view suffix,
                                          std::string_view form) {
    std::vector<address_set<A>> sets(table.values.size());
    for (const route<A>& r : table.routes) {
        const std::string_view value = table.values[r.hop];
        if (value.empty())
            throw failure(
                fmt::format("{}: {} has no value that could name its set; name one set for all with --set",
                            form, to_string(r.where)));
        if (sets[r.hop.id].name.empty())
            sets[r.hop.id].name = std::string(value).append(suffix);
    }
    for_each_run<A>(table.routes,
                    [&](next_hop row, const address_range<A>& run) { sets[row.id].ranges.push_back(run); });
    // Rows whose routes were all replaced by later ones have no addresses.
    std::erase_if(sets, [](const address_set<A>& set) { return set.name.empty(); });
    return sets;
}

template <class A>
void append_names(const std::vector<address_set<A>>& sets, std::vector<std::string_view>& names) {
    for (const address_set<A>& set : sets)
        names.emplace_back(set.name);
}

} // namespace

address_sets make_address_sets(const io::both_tables& tables, std::string_view name, std::string_view form,
                               const char* (*name_fault)(std::string_view name)) {
    const value_rows& values = tables.ipv4.values;
    if (name.empty() && values.columns() > 1)
        throw failure(fmt::format("{}: each value names a set, but the table has {} columns of values; "
                                  "choose one with --columns, or name one set for all with --set",
                                  form, values.columns()));
    address_sets sets;
    if (name.empty())
        sets = {sets_by_value(tables.ipv4, "", form), sets_by_value(tables.ipv6, "6", form)};
    else
        sets = {one_set(tables.ipv4, std::string(name)), one_set(tables.ipv6, std::string(name) + "6")};
    std::vector<std::string_view> names;
    append_names(sets.ipv4, names);
    append_names(sets.ipv6, names);
    for (const std::string_view name : names)
        if (const char* const fault = name_fault(name); fault != nullptr)
            throw failure(fmt::format("{}: the set {} {}; name one set for all with --set", form,
                                      io::quoted(name), fault));
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
        throw failure(fmt::format("{}: two sets would be called {}, because names of IPv6 sets end in 6; "
                                  "name one set for all with --set",
                                  form, io::quoted(*twice)));
    return sets;
}

} // namespace fingerpost::cli
