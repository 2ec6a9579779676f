// Builds the entries of paths, groups and aliases, and keeps them up to date.
#include "router/forward/hop_store.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/base/xxh64.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::router {
namespace {

rte_ether_addr as_dpdk(const mac_address& mac) noexcept {
    rte_ether_addr out;
    std::copy(mac.begin(), mac.end(), out.addr_bytes);
    return out;
}

ipv6_address as_stored(const any_address& address) noexcept {
    if (const auto* const a = std::get_if<ipv4_address>(&address))
        return {a->value};
    return std::get<ipv6_address>(address);
}

constexpr hop_kind hop_kind_of(action what) noexcept {
    switch (what) {
    case action::local:
        return hop_kind::local;
    case action::blackhole:
        return hop_kind::blackhole;
    case action::prohibit:
        return hop_kind::prohibit;
    default:
        return hop_kind::unreachable;
    }
}

constexpr std::string_view name_of(action what) noexcept {
    constexpr std::string_view names[] = {"forward", "local", "blackhole", "unreachable", "prohibit"};
    return names[static_cast<std::size_t>(what)];
}

// A member that would only drop packets gets no flows while others can forward them.
constexpr bool is_usable(hop_kind kind) noexcept {
    return kind == hop_kind::forward || kind == hop_kind::unresolved || kind == hop_kind::connected ||
           kind == hop_kind::local;
}

} // namespace

hop_store::hop_key hop_store::key_of(const destination& to, vrf_number vrf) {
    if (to.what != action::forward || to.paths.empty())
        return path_key{to.what == action::forward ? action::unreachable : to.what};
    const auto as_key = [vrf](const path& hop_path) {
        return path_key{action::forward, hop_path.gateway, hop_path.interface,
                        hop_path.interface == 0 ? vrf : default_vrf};
    };
    if (to.paths.size() == 1)
        return as_key(to.paths[0]);
    group_key group;
    for (const path& member : to.paths)
        group.members.push_back({as_key(member), member.weight});
    // Two groups are the same if their paths differ only in order or in how a path's weight is split.
    std::sort(group.members.begin(), group.members.end());
    std::vector<weighted> merged;
    for (const weighted& member : group.members)
        if (!merged.empty() && merged.back().to == member.to)
            merged.back().weight = static_cast<std::uint16_t>(std::min<unsigned>(
                merged.back().weight + member.weight, std::numeric_limits<std::uint16_t>::max()));
        else
            merged.push_back(member);
    if (merged.size() == 1)
        return merged[0].to;
    return group_key{std::move(merged)};
}

expected<std::uint32_t> hop_store::hold(const route_target& to, vrf_number vrf) noexcept try {
    if (const auto* const group = std::get_if<group_id>(&to))
        return hold_key(alias_key{*group});
    return hold_key(key_of(std::get<destination>(to), vrf));
} catch (...) {
    return unexpected{reason_of_exception()};
}

expected<std::uint32_t> hop_store::hold_key(const hop_key& key) {
    if (const auto known = hops_.find(key); known != hops_.end()) {
        ++known->second.references;
        return known->second.number;
    }
    auto members = hold_members(key);
    if (!members)
        return unexpected{members.error()};
    const auto give_up = [&](errc why) {
        for (const std::uint32_t member : *members)
            release(member);
        return unexpected{why};
    };
    const auto number = table_->add(next_hop_entry{});
    if (!number)
        return give_up(number.error());
    if (by_number_.size() <= *number)
        by_number_.resize(*number + 1);
    const auto at = hops_.emplace(key, hop{}).first;
    hop& created = at->second;
    created.key = &at->first;
    created.number = *number;
    created.references = 1;
    created.members = std::move(*members);
    by_number_[*number] = &created;
    table_->set(*number, entry_of(created));
    return *number;
}

// Holds references to the members of a group, or to the target of an alias.
expected<std::vector<std::uint32_t>> hop_store::hold_members(const hop_key& key) {
    std::vector<hop_key> needed;
    if (const auto* const group = std::get_if<group_key>(&key)) {
        for (const weighted& member : group->members)
            needed.push_back(member.to);
    } else if (const auto* const alias = std::get_if<alias_key>(&key)) {
        const auto group_known = groups_.find(alias->group);
        needed.push_back(key_of(group_known == groups_.end() ? destination{action::unreachable, {}}
                                                             : group_known->second));
    }
    std::vector<std::uint32_t> held;
    for (const hop_key& target : needed) {
        const auto number = hold_key(target);
        if (!number) {
            for (const std::uint32_t member : held)
                release(member);
            return unexpected{number.error()};
        }
        held.push_back(*number);
    }
    return held;
}

void hop_store::release(std::uint32_t number) noexcept {
    hop* const released = by_number_[number];
    if (--released->references != 0)
        return;
    const std::vector<std::uint32_t> members = std::move(released->members);
    if (released->buckets)
        old_->later([buckets = std::move(released->buckets)] {});
    by_number_[number] = nullptr;
    const hop_key key = *released->key;
    hops_.erase(key);
    table_->remove(number);
    for (const std::uint32_t member : members)
        release(member);
}

errc hop_store::set_group(group_id group, const destination& to) noexcept try {
    const auto known = groups_.find(group);
    if (known != groups_.end() && known->second == to)
        return errc::ok;
    const auto alias = hops_.find(alias_key{group});
    if (alias == hops_.end()) {
        groups_[group] = to;
        return errc::ok;
    }
    // Holds the new target before releasing the old one, so that members of both are kept.
    const auto number = hold_key(key_of(to));
    if (!number)
        return number.error();
    groups_[group] = to;
    const std::uint32_t before = std::exchange(alias->second.members[0], *number);
    update(alias->second);
    release(before);
    return errc::ok;
} catch (...) {
    return reason_of_exception();
}

void hop_store::remove_group(group_id group) noexcept {
    if (groups_.contains(group) && set_group(group, {action::unreachable, {}}) == errc::ok)
        groups_.erase(group);
}

void hop_store::keep_groups_of(std::uint32_t source) noexcept {
    for (auto at = groups_.begin(); at != groups_.end();) {
        const group_id group = at->first;
        ++at;
        if (group.source != source)
            remove_group(group);
    }
}

void hop_store::refresh() noexcept {
    // Keys are ordered so that dependencies come first: paths, then groups of paths, then aliases of either.
    for (auto& [key, entry] : hops_)
        update(entry);
}

void hop_store::update(hop& updated) {
    const next_hop_entry entry = entry_of(updated);
    if (entry != (*table_)[next_hop{updated.number}])
        table_->set(updated.number, entry);
}

next_hop_entry hop_store::entry_of(hop& updated) {
    if (const auto* const to = std::get_if<path_key>(updated.key))
        return path_entry(*to);
    if (const auto* const group = std::get_if<group_key>(updated.key))
        return group_entry(updated, *group);
    return (*table_)[next_hop{updated.members[0]}];
}

next_hop_entry hop_store::path_entry(const path_key& to) const {
    next_hop_entry entry;
    if (to.what != action::forward) {
        entry.kind = hop_kind_of(to.what);
        return entry;
    }
    entry.interface = to.interface != 0 ? to.interface
                      : to.gateway      ? links_->find_connected(*to.gateway, to.vrf)
                                        : 0;
    entry.kind = hop_kind::unreachable;
    if (links_->link(entry.interface) == nullptr)
        return entry;
    const auto out = links_->find_egress(entry.interface);
    if (!out) { // a link that only the kernel reaches
        entry.kind = hop_kind::local;
        return entry;
    }
    entry.port = out->port;
    entry.out.mtu = out->mtu;
    if (!out->up) {
        entry.kind = hop_kind::link_down;
    } else if (!to.gateway) {
        entry.kind = hop_kind::connected;
    } else if (const neighbour* const known = links_->find_neighbour(entry.interface, *to.gateway);
               known != nullptr && known->state == neighbour_state::resolved) {
        entry.kind = hop_kind::forward;
        entry.out.header = link_header(as_dpdk(known->mac), as_dpdk(out->mac), out->vlan);
    } else {
        entry.kind = hop_kind::unresolved;
        entry.ipv6_gateway = std::holds_alternative<ipv6_address>(*to.gateway);
        entry.set_gateway(as_stored(*to.gateway));
    }
    return entry;
}

next_hop_entry hop_store::group_entry(hop& updated, const group_key& of) {
    std::vector<bucket_member> usable;
    for (std::size_t i = 0; i < of.members.size(); ++i)
        if (is_usable((*table_)[next_hop{updated.members[i]}].kind)) {
            const path_key& to = of.members[i].to;
            const auto gateway = to.gateway ? as_stored(*to.gateway) : ipv6_address{};
            const std::uint64_t bytes[3] = {top64(gateway), bottom64(gateway), to.interface};
            usable.push_back(
                {xxh64(std::as_bytes(std::span(bytes))), updated.members[i], of.members[i].weight});
        }
    next_hop_entry entry;
    if (usable.empty()) {
        entry.kind = hop_kind::unreachable;
        return entry;
    }
    if (usable != updated.usable) {
        auto spread = std::make_shared<bucket_array>();
        assign_buckets(usable, *spread);
        if (updated.buckets)
            old_->later([buckets = std::move(updated.buckets)] {});
        updated.buckets = std::move(spread);
        updated.usable = std::move(usable);
    }
    entry.kind = hop_kind::group;
    entry.set_buckets(updated.buckets.get());
    return entry;
}

// Packets on routes of an alias mark the alias' own entry; the gateway is in its member.
std::optional<neighbour_key> hop_store::used_neighbour(const hop& used) const {
    const next_hop_entry& entry = (*table_)[next_hop{used.number}];
    if (entry.kind != hop_kind::forward || !entry.used.take())
        return std::nullopt;
    const hop_key& of =
        std::holds_alternative<alias_key>(*used.key) ? *by_number_[used.members[0]]->key : *used.key;
    const auto* const to = std::get_if<path_key>(&of);
    if (to == nullptr || !to->gateway)
        return std::nullopt;
    return neighbour_key{entry.interface, *to->gateway};
}

std::vector<hop_store::group_path> hop_store::paths_of_group(std::uint32_t number) const {
    if (number >= by_number_.size() || by_number_[number] == nullptr)
        return {};
    const hop& entry = *by_number_[number];
    if (std::holds_alternative<alias_key>(*entry.key))
        return paths_of_group(entry.members[0]);
    const auto* const group = std::get_if<group_key>(entry.key);
    if (group == nullptr)
        return {};
    const bool has_buckets = (*table_)[next_hop{number}].kind == hop_kind::group && entry.buckets != nullptr;
    std::vector<group_path> paths;
    for (std::size_t i = 0; i < entry.members.size(); ++i) {
        const auto flows =
            has_buckets ? std::count(entry.buckets->begin(), entry.buckets->end(), entry.members[i]) : 0;
        paths.push_back({entry.members[i], group->members[i].weight,
                         static_cast<double>(flows) / static_cast<double>(group_buckets)});
    }
    return paths;
}

std::string hop_store::describe(std::uint32_t number) const {
    if (number >= by_number_.size() || by_number_[number] == nullptr)
        return {};
    const hop& entry = *by_number_[number];
    const auto as_word = [this](const path_key& to) {
        if (to.what != action::forward)
            return std::string(name_of(to.what));
        const link_state* const link = links_->link(to.interface);
        const std::string interface = link != nullptr     ? link->name
                                      : to.interface != 0 ? std::to_string(to.interface)
                                                          : "";
        if (!to.gateway)
            return interface;
        const std::string gateway = to_string(*to.gateway);
        return interface.empty() ? gateway : gateway + "%" + interface;
    };
    if (const auto* const to = std::get_if<path_key>(entry.key))
        return as_word(*to);
    const auto* const group = std::get_if<group_key>(entry.key);
    if (group == nullptr)
        return describe(entry.members[0]);
    std::string text;
    for (const weighted& member : group->members)
        text += (text.empty() ? "" : "+") + as_word(member.to) +
                (member.weight == 1 ? "" : "*" + std::to_string(member.weight));
    return text;
}

} // namespace fingerpost::router
