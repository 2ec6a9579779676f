// Ranks routes as the kernel does, and determines the family of default routes.
#include "io/format/ip_route/kernel_listing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "io/format/parts/listed.hpp"

namespace fingerpost::io {
namespace {

const std::vector<std::string>& listing_columns() {
    static const std::vector<std::string> names{"next_hop", "dev", "type", "metric", "protocol"};
    return names;
}

std::string_view or_else(std::string_view text, std::string_view other) {
    return text.empty() ? other : text;
}

// Returns the metric; one that is not a number is ranked last.
std::uint64_t metric_of(const kernel_route& route) {
    const std::string_view text = or_else(route.metric, "0");
    std::uint32_t metric = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), metric);
    const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return is_number ? metric : std::uint64_t{1} << 32;
}

// Ranks routes by metric. Among IPv6 routes with equal metrics, the router's preference decides; then the
// first route wins. `number` is the position in the listing, which is in the kernel's lookup order.
route_rank rank_of(const kernel_route& route, std::uint64_t number) {
    const std::uint64_t preference = route.preference == "high" ? 0 : route.preference == "low" ? 2 : 1;
    return {metric_of(route), preference, number};
}

bool drops(std::string_view type) {
    return type == "blackhole" || type == "unreachable" || type == "prohibit" || type == "throw";
}

bool is_default_service(std::string_view number) {
    return number == "0" || number == "0x00" || number == "0x0" || number == "default";
}

// `ip -N` prints numbers instead of names.
std::string_view listed_table_of(const kernel_route& route) {
    return route.table.empty() || route.table == "254" ? "main"
           : route.table == "255"                      ? "local"
           : route.table == "253"                      ? "default"
                                                       : std::string_view(route.table);
}

// Returns the reason for which a lookup by the destination alone does not find the route.
std::string_view reason_to_leave_out(const kernel_route& route) {
    if (!route.service.empty() && !is_default_service(route.service))
        return "for one type of service";
    if (!route.source.empty() && route.source != "all" && route.source != "default")
        return "for some sources";
    if (route.has_dead_hop && route.gateways.empty() && route.devices.empty())
        return "over devices that are down";
    return {};
}

std::string_view default_prefix_of(family kind) {
    return kind == family::ipv4 ? "0.0.0.0/0" : "::/0";
}

} // namespace

void kernel_route::begin_hop() {
    gateways_before_ = gateways.size();
    devices_before_ = devices.size();
}
void kernel_route::add_gateway(std::string_view gateway) {
    append_listed(gateways, gateway);
}
void kernel_route::add_device(std::string_view device) {
    append_listed(devices, device);
}
void kernel_route::drop_hop() {
    has_dead_hop = true;
    gateways.resize(gateways_before_);
    devices.resize(devices_before_);
}

expected<kernel_routes, std::string> kernel_routes::make(const table_options& options) {
    auto table = best_table::make(options, listing_columns());
    if (!table)
        return unexpected{table.error()};
    return kernel_routes(options, std::move(*table));
}

std::optional<route_fault> kernel_routes::add(const kernel_route& route) {
    ++number_;
    if (route.where != "default") {
        if (const auto detected = detect_family(route.where)) {
            last_ = detected;
            settle_defaults();
        }
        return add_as(route.where, route, number_);
    }
    const auto known = route.known ? route.known : only_ ? only_ : last_;
    if (known)
        return add_as(default_prefix_of(*known), route, number_);
    waiting_.push_back({route, number_});
    return std::nullopt;
}

void kernel_routes::settle_defaults() {
    for (const waiting_route& waiting : std::exchange(waiting_, {}))
        (void)add_as(default_prefix_of(last_.value_or(family::ipv4)), waiting.route, waiting.number);
}

std::optional<route_fault> kernel_routes::add_as(std::string_view where, const kernel_route& route,
                                                 std::uint64_t number) {
    if (const std::string_view special = reason_to_leave_out(route); !special.empty()) {
        tables_.others().add_route(special);
        return std::nullopt;
    }
    best_table* const table = tables_.table_for(listed_table_of(route), detect_family(where));
    if (table == nullptr)
        return std::nullopt;
    const std::string_view type = or_else(route.type, "unicast");
    const std::string object = route.next_hop_object.empty() ? "" : "nhid " + route.next_hop_object;
    const std::string_view next_hop =
        drops(type) ? type : or_else(route.gateways, or_else(route.devices, or_else(object, type)));
    const std::array<std::string_view, 5> cells{next_hop, route.devices, type, or_else(route.metric, "0"),
                                                or_else(route.protocol, "boot")};
    return table->add(where, rank_of(route, number), cells);
}

std::optional<std::string> kernel_routes::settle() {
    settle_defaults();
    return tables_.settle();
}

both_tables kernel_routes::finish_both(std::uint64_t lines, std::uint64_t bad) && {
    return std::move(tables_).finish_both(lines, bad);
}

one_table kernel_routes::finish(std::uint64_t lines, std::uint64_t bad) && {
    return std::move(tables_).finish(lines, bad);
}

} // namespace fingerpost::io
