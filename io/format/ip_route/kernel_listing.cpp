// Ranks routes by metric, and finds the family of default routes.
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

// A metric that is no number comes last.
std::uint64_t metric_of(const kernel_route& route) {
    const std::string_view text = or_else(route.metric, "0");
    std::uint32_t metric = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), metric);
    const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return is_number ? metric : std::uint64_t{1} << 32;
}

bool drops(std::string_view type) {
    return type == "blackhole" || type == "unreachable" || type == "prohibit" || type == "throw";
}

} // namespace

void kernel_route::add_gateway(std::string_view gateway) {
    append_listed(gateways, gateway);
}
void kernel_route::add_device(std::string_view device) {
    append_listed(devices, device);
}

expected<kernel_routes, std::string> kernel_routes::make(const table_options& options) {
    auto made = best_table::make(options, listing_columns());
    if (!made)
        return unexpected{made.error()};
    return kernel_routes(options, std::move(*made));
}

std::optional<route_fault> kernel_routes::add(const kernel_route& route) {
    if (route.where != "default") {
        if (const auto seen = detect_family(route.where)) {
            last_ = seen;
            settle_default();
        }
        return add_as(route.where, route);
    }
    const auto known = route.known ? route.known : only_ ? only_ : last_;
    if (known)
        return add_as(*known == family::ipv4 ? "0.0.0.0/0" : "::/0", route);
    if (!waiting_ || metric_of(route) < metric_of(*waiting_))
        waiting_ = route;
    return std::nullopt;
}

void kernel_routes::settle_default() {
    if (!waiting_)
        return;
    const kernel_route route = std::move(*waiting_);
    waiting_.reset();
    (void)add_as(last_.value_or(family::ipv4) == family::ipv4 ? "0.0.0.0/0" : "::/0", route);
}

std::optional<route_fault> kernel_routes::add_as(std::string_view where, const kernel_route& route) {
    const std::string_view type = or_else(route.type, "unicast");
    const std::string_view leads_to =
        drops(type) ? type : or_else(route.gateways, or_else(route.devices, type));
    const std::array<std::string_view, 5> cells{leads_to, route.devices, type, or_else(route.metric, "0"),
                                                or_else(route.protocol, "boot")};
    return made_.add(where, route_rank{metric_of(route)}, cells);
}

both_tables kernel_routes::finish_both(std::uint64_t lines, std::uint64_t bad) && {
    settle_default();
    return std::move(made_).finish_both(lines, bad);
}

one_table kernel_routes::finish(std::uint64_t lines, std::uint64_t bad) && {
    settle_default();
    return std::move(made_).finish(lines, bad);
}

} // namespace fingerpost::io
