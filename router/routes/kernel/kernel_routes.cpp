// Maintains the kernel's tables from its messages.
#include "router/routes/kernel/kernel_routes.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <linux/rtnetlink.h>

namespace fingerpost::router {

namespace {

bool stands_for_no_route(const route_message& route) noexcept {
    return route.where == any_prefix(ipv6_prefix{}) && route.type == RTN_UNREACHABLE &&
           route.protocol == RTPROT_KERNEL && route.metric == std::numeric_limits<std::uint32_t>::max();
}

bool is_ipv6(const any_prefix& where) {
    return std::holds_alternative<ipv6_prefix>(where);
}

// The paths of a target that is not a group.
const std::vector<path>& paths_of(const route_target& target) {
    static const std::vector<path> nothing;
    const auto* const own = std::get_if<destination>(&target);
    return own != nullptr ? own->paths : nothing;
}

bool includes(const route_target& whole, const route_target& part) {
    const std::vector<path>& outer = paths_of(whole);
    const std::vector<path>& inner = paths_of(part);
    return !inner.empty() && std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

auto find_metric(auto& list, std::uint32_t metric) {
    return std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.metric == metric; });
}

} // namespace

bool counts_as_route(const route_message& route, const vrf_list& vrfs) noexcept {
    if (!vrfs.with_table(route.table) || route.cloned || route.of_some_sources || route.service != 0)
        return false;
    if (!vrfs.has_one() && route.protocol == RTPROT_KERNEL)
        return false;
    return forwarded_as(route) && is_forwarded(route.where) && !stands_for_no_route(route);
}

template <class A>
std::size_t kernel_routes::prefix_hash::operator()(const prefix<A>& where) const noexcept {
    std::uint64_t mixed = top64(where.base) ^ bottom64(where.base) * 0x9e37'79b9'7f4a'7c15 ^ where.length;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8'feb8'6659'fd93;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

kernel_routes::candidates& kernel_routes::list_of(vrf_number vrf, const any_prefix& where) {
    if (const auto* const ipv4 = std::get_if<ipv4_prefix>(&where))
        return tables_[vrf].ipv4[*ipv4];
    return tables_[vrf].ipv6[std::get<ipv6_prefix>(where)];
}

kernel_routes::candidates* kernel_routes::find(vrf_number vrf, const any_prefix& where) {
    const auto in = [](auto& table, const auto& prefix) {
        const auto match = table.find(prefix);
        return match == table.end() ? nullptr : &match->second;
    };
    if (const auto* const ipv4 = std::get_if<ipv4_prefix>(&where))
        return in(tables_[vrf].ipv4, *ipv4);
    return in(tables_[vrf].ipv6, std::get<ipv6_prefix>(where));
}

void kernel_routes::forget(vrf_number vrf, const any_prefix& where) {
    if (const auto* const ipv4 = std::get_if<ipv4_prefix>(&where))
        tables_[vrf].ipv4.erase(*ipv4);
    else
        tables_[vrf].ipv6.erase(std::get<ipv6_prefix>(where));
}

shared_target kernel_routes::target_of(const route_message& route) {
    if (route.group && forwarded_as(route) == action::forward)
        return targets_.share(groups_.name_of(route.group->id));
    destination to = destination_of(route);
    // The order has no meaning, and differs between dumps and events.
    std::sort(to.paths.begin(), to.paths.end());
    return targets_.share(std::move(to));
}

void kernel_routes::report_best(vrf_number vrf, const any_prefix& where, const candidates& from) {
    const auto best = std::min_element(
        from.begin(), from.end(), [](const candidate& a, const candidate& b) { return a.metric < b.metric; });
    if (best == from.end())
        sink_.withdraw(vrf, where);
    else
        sink_.announce(vrf, where, *best->target);
}

void kernel_routes::take_dumped(const route_message& route) {
    if (route.removed || !counts_as_route(route, vrfs_))
        return;
    const vrf_number vrf = *vrfs_.with_table(route.table);
    candidates& list = list_of(vrf, route.where);
    const auto match = find_metric(list, route.metric);
    if (match == list.end()) {
        list.push_front({target_of(route), route.metric, false, dump_});
    } else if (match->dump != dump_) {
        *match = {target_of(route), route.metric, false, dump_};
    } else {
        // The kernel dumps in its order of preference. It shows an IPv6 route twice if routes before it are
        // added in the meantime.
        if (!is_ipv6(route.where) || match->target != target_of(route))
            match->has_alternatives = true;
        return;
    }
    report_best(vrf, route.where, list);
}

bool kernel_routes::take_event(const route_message& route) {
    if (!counts_as_route(route, vrfs_))
        return true;
    const vrf_number vrf = *vrfs_.with_table(route.table);
    if (route.removed)
        return remove(vrf, route);
    candidates& list = list_of(vrf, route.where);
    const shared_target target = target_of(route);
    const auto match = find_metric(list, route.metric);
    if (match == list.end()) {
        list.push_front({target, route.metric, false, dump_});
    } else if (route.replaces || includes(*target, *match->target)) {
        // For IPv6, a new path is reported as the route with all its paths.
        match->target = target;
        match->dump = dump_;
    } else if (match->target != target) {
        // A second route with the same prefix and metric. For IPv4, the new route precedes the old one unless
        // it was appended.
        match->has_alternatives = true;
        if (!is_ipv6(route.where) && !route.appended)
            match->target = target;
    }
    report_best(vrf, route.where, list);
    return true;
}

bool kernel_routes::remove(vrf_number vrf, const route_message& route) {
    candidates* const known = find(vrf, route.where);
    if (known == nullptr)
        return true;
    candidates& list = *known;
    const auto match = find_metric(list, route.metric);
    if (match == list.end())
        return true;
    const shared_target target = target_of(route);
    bool certain = true;
    if (match->target == target) {
        certain = !match->has_alternatives;
        list.remove_if([&](const candidate& entry) { return entry.metric == route.metric; });
    } else if (is_ipv6(route.where) && includes(*match->target, *target)) {
        // One of several paths was removed; the kernel names only that path.
        destination left = std::get<destination>(*match->target);
        std::erase_if(left.paths, [&](const path& member) {
            const std::vector<path>& removed = paths_of(*target);
            return std::find(removed.begin(), removed.end(), member) != removed.end();
        });
        match->target = targets_.share(std::move(left));
    } else {
        return true; // one of the alternatives
    }
    report_best(vrf, route.where, list);
    if (list.empty())
        forget(vrf, route.where);
    return certain;
}

void kernel_routes::begin_refresh() {
    first_of_refresh_ = static_cast<std::uint8_t>(dump_ + 1);
    groups_.begin_refresh();
    sink_.begin_refresh();
}

template <class A>
void kernel_routes::sweep(vrf_number vrf, family<A>& table) {
    const auto dumps = static_cast<std::uint8_t>(dump_ - first_of_refresh_);
    const auto is_stale = [&](const candidate& entry) {
        return static_cast<std::uint8_t>(dump_ - entry.dump) > dumps;
    };
    for (auto at = table.begin(); at != table.end();) {
        auto& [where, list] = *at;
        // The sink itself tracks which prefixes were not reported again.
        if (list.remove_if(is_stale) != 0 && !list.empty())
            report_best(vrf, where, list);
        at = list.empty() ? table.erase(at) : std::next(at);
    }
}

void kernel_routes::sweep() {
    for (std::size_t vrf = 0; vrf < tables_.size(); ++vrf) {
        sweep(static_cast<vrf_number>(vrf), tables_[vrf].ipv4);
        sweep(static_cast<vrf_number>(vrf), tables_[vrf].ipv6);
    }
    sink_.sweep();
    groups_.sweep();
}

} // namespace fingerpost::router
