// Reads the routing table of zebra.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "io/format/frr/frr.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/listed.hpp"

namespace fingerpost::io {
namespace {

const std::vector<std::string>& hop_columns() {
    static const std::vector<std::string> names{"next_hop", "dev", "protocol", "distance", "metric"};
    return names;
}

// Selects the prefixes in the object of one VRF, or in a member of the object of all VRFs.
bool is_route_prefix(std::span<const std::string> path, char opening) {
    return path.size() <= 2 && opening == '[';
}

// Returns the VRF of a route, or, in the default VRF, the number of a table other than the main one.
std::string_view vrf_table_of(const json_tree& route, std::string_view vrf) {
    if (vrf.empty())
        vrf = route.text_of("vrfName");
    const std::string_view number = route.text_of("table");
    const bool is_main = number.empty() || number == "254" || number == "0";
    return vrf.empty() || vrf == "default" ? is_main ? "default" : number : vrf;
}

// Returns the next hops in the kernel; if there are none, the active ones; otherwise all.
std::vector<const json_tree*> used_hops(const json_tree& route) {
    std::vector<const json_tree*> hops;
    for (const char* const flag : {"fib", "active"}) {
        for (const json_tree& hop : route.elements_of("nexthops"))
            if (hop.is_true(flag))
                hops.push_back(&hop);
        if (!hops.empty())
            return hops;
    }
    for (const json_tree& hop : route.elements_of("nexthops"))
        hops.push_back(&hop);
    return hops;
}

// Returns the corresponding route type of Linux.
std::string_view why_dropped(const json_tree& hop) {
    return hop.is_true("blackhole")         ? "blackhole"
           : hop.is_true("adminProhibited") ? "prohibit"
                                            : "unreachable";
}

} // namespace

frr_route_reader::frr_route_reader(std::string file, const table_options& options)
    : frr_reader(std::move(file), options, is_route_prefix, hop_columns(),
                 "output of FRR's show ip route json") {}

bool frr_route_reader::feed(std::string_view chunk) {
    return feed_values(chunk, [this](std::span<const std::string> path, const json_tree& routes) {
        return take(path.size() == 2 ? std::string_view(path[0]) : std::string_view(), path.back(), routes);
    });
}

bool frr_route_reader::take(std::string_view vrf, std::string_view where, const json_tree& routes) {
    for (const json_tree& route : routes.inside) {
        best_table* const table = table_for(vrf_table_of(route, vrf), where);
        if (table == nullptr)
            continue;
        if (!route.is_true("selected")) {
            table->leave_out();
            continue;
        }
        std::string gateways;
        std::string devices;
        std::string_view dropped;
        for (const json_tree* const hop : used_hops(route)) {
            if (const std::string_view gateway = hop->text_of("ip"); !gateway.empty())
                append_listed(gateways, gateway);
            if (const std::string_view device = hop->text_of("interfaceName"); !device.empty())
                append_listed(devices, device);
            if (hop->is_true("unreachable") || hop->is_true("blackhole"))
                dropped = why_dropped(*hop);
        }
        const std::string_view next_hop = !gateways.empty()  ? std::string_view(gateways)
                                          : !devices.empty() ? std::string_view(devices)
                                                             : dropped;
        if (!add(*table, where,
                 std::array<std::string_view, 5>{next_hop, devices, route.text_of("protocol"),
                                                 route.text_of("distance"), route.text_of("metric")}))
            return false;
    }
    return true;
}

expected<both_tables, input_error> frr_route_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*this).take_both();
}

expected<one_table, input_error> frr_route_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*this).take_one();
}

namespace {

// A prefix is the name of a list of objects. The name of its VRF, and empty VRFs, may precede it.
bool is_frr_route(std::string_view start) {
    const auto skip = [&](char c) {
        const std::size_t blanks = std::min(start.find_first_not_of(" \t\r\n"), start.size());
        start.remove_prefix(blanks);
        const bool is_present = start.starts_with(c);
        start.remove_prefix(is_present ? 1 : 0);
        return is_present;
    };
    if (!skip('{'))
        return false;
    bool is_in_vrf = false;
    while (skip('"')) {
        const std::size_t end = std::min(start.find_first_of("\"}"), start.size());
        const std::string_view name = start.substr(0, end);
        start.remove_prefix(end);
        if (!skip('"') || !skip(':'))
            return false;
        if (detect_family(name) && name.find('/') != std::string_view::npos)
            return skip('[') && skip('{');
        if (is_in_vrf || !skip('{'))
            return false;
        is_in_vrf = !skip('}');
        if (!is_in_vrf && !skip(','))
            return false;
    }
    return false;
}

} // namespace

extern const format_entry frr_route_format;
constinit const format_entry frr_route_format{
    .name = "frr-route",
    .summary = "output of FRR's `show ip route json` and `show ipv6 route json`",
    .has_object = is_frr_route,
    .has_routing_tables = true,
    .open = open_reader<frr_route_reader>};

} // namespace fingerpost::io
