// Stores and searches the kernel's reports about links, addresses and neighbours.
#include "router/forward/interfaces.hpp"

#include <algorithm>
#include <limits>

#include "fingerpost/base/reason.hpp"

namespace fingerpost::router {
namespace {

template <class A>
constexpr bool holds(const A& network, unsigned length, const A& address) noexcept {
    return prefix<A>::make(network, length).contains(address);
}

bool is_in(const interface_address& network, const any_address& address) noexcept {
    const any_address& end = network.peer ? *network.peer : network.address;
    if (end.index() != address.index())
        return false;
    if (const auto* const a = std::get_if<ipv4_address>(&address))
        return holds(std::get<ipv4_address>(end), network.length, *a);
    return holds(std::get<ipv6_address>(end), network.length, std::get<ipv6_address>(address));
}

bool is_link_local(const any_address& address) noexcept {
    if (const auto* const a = std::get_if<ipv4_address>(&address))
        return a->value >> 16 == 0xa9fe;
    return top64(std::get<ipv6_address>(address)) >> 54 == 0xfe80u >> 6;
}

bool is_same_address(const interface_address& a, const interface_address& b) noexcept {
    return a.interface == b.interface && a.address == b.address && a.length == b.length;
}

} // namespace

template <class Key, class T>
void interfaces::put(std::map<Key, reported<T>>& into, const Key& key, const T& value) noexcept {
    // If memory runs out, the kernel's message is lost; the next refresh repeats it.
    (void)or_reason([&] {
        const auto [at, is_new] = into.try_emplace(key);
        // The kernel also reports changes that do not matter here.
        is_changed_ |= is_new || at->second.value != value;
        at->second = {value, refresh_};
        return errc::ok;
    });
}

void interfaces::set_link(const link_state& link) noexcept {
    put(links_, link.index, link);
}

void interfaces::remove_link(std::uint32_t index) noexcept {
    is_changed_ |= links_.erase(index) != 0;
    std::erase_if(addresses_, [=](const auto& address) { return address.value.interface == index; });
    std::erase_if(neighbours_, [=](const auto& entry) { return entry.first.interface == index; });
    std::erase_if(unconfirmed_, [=](const neighbour_key& key) { return key.interface == index; });
}

void interfaces::set_address(const interface_address& address) noexcept {
    for (reported<interface_address>& known : addresses_)
        if (is_same_address(known.value, address)) {
            is_changed_ |= known.value != address;
            known = {address, refresh_};
            return;
        }
    (void)or_reason([&] {
        addresses_.push_back({address, refresh_});
        is_changed_ = true;
        return errc::ok;
    });
}

void interfaces::remove_address(const interface_address& address) noexcept {
    is_changed_ |= std::erase_if(addresses_, [&](const auto& known) {
                       return is_same_address(known.value, address);
                   }) != 0;
}

void interfaces::set_neighbour(const neighbour& report) noexcept {
    const neighbour_key key{report.interface, report.address};
    // Packets are still sent to a stale neighbour, so staleness does not change the tables. With thousands of
    // neighbours, some become stale all the time.
    if (const auto known = neighbours_.find(key); known != neighbours_.end())
        known->second.value.stale = report.stale;
    put(neighbours_, key, report);
    (void)or_reason([&] {
        if (report.stale)
            unconfirmed_.insert(key);
        else
            unconfirmed_.erase(key);
        return errc::ok;
    });
}

void interfaces::remove_neighbour(std::uint32_t interface, const any_address& address) noexcept {
    is_changed_ |= neighbours_.erase(neighbour_key{interface, address}) != 0;
    unconfirmed_.erase(neighbour_key{interface, address});
}

void interfaces::set_port(std::uint16_t port, bool up) noexcept {
    (void)or_reason([&] {
        is_changed_ |= up ? ports_down_.erase(port) != 0 : ports_down_.insert(port).second;
        return errc::ok;
    });
}

void interfaces::sweep() noexcept {
    const auto is_stale = [this](const auto& entry) { return entry.refresh != refresh_; };
    std::size_t removed = std::erase_if(links_, [&](const auto& entry) { return is_stale(entry.second); });
    removed += std::erase_if(addresses_, is_stale);
    removed += std::erase_if(neighbours_, [&](const auto& entry) { return is_stale(entry.second); });
    std::erase_if(unconfirmed_, [&](const neighbour_key& key) { return !neighbours_.contains(key); });
    is_changed_ |= removed != 0;
}

void interfaces::commit() noexcept {
    if (!is_changed_)
        return;
    is_changed_ = false;
    if (changed_)
        changed_();
}

const link_state* interfaces::link(std::uint32_t index) const noexcept {
    const auto match = links_.find(index);
    return match == links_.end() ? nullptr : &match->second.value;
}

std::optional<std::uint16_t> interfaces::port_named(const std::string& name) const noexcept {
    const auto match = std::find(taps_.begin(), taps_.end(), name);
    if (match == taps_.end())
        return std::nullopt;
    return static_cast<std::uint16_t>(match - taps_.begin());
}

std::optional<egress> interfaces::find_egress(std::uint32_t interface) const noexcept {
    const link_state* const own = link(interface);
    if (own == nullptr)
        return std::nullopt;
    // Follows the devices down to the TAP: at most one macvlan device and one VLAN device, as a frame has one
    // tag.
    const link_state* below = own;
    std::uint16_t vlan = 0;
    bool up = own->up;
    for (unsigned steps = 0; below->parent != 0; ++steps) {
        if (steps == 2 || (vlan != 0 && below->vlan != 0))
            return std::nullopt;
        vlan = static_cast<std::uint16_t>(vlan + below->vlan);
        below = link(below->parent);
        if (below == nullptr)
            return std::nullopt;
        up = up && below->up;
    }
    const auto port = port_named(below->name);
    if (!port)
        return std::nullopt;
    const std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
    return egress{*port, vlan, static_cast<std::uint16_t>(std::min(own->mtu, most)),
                  up && !ports_down_.contains(*port), own->mac};
}

std::uint32_t interfaces::find_interface(std::uint16_t port, std::uint16_t vlan) const noexcept {
    for (const auto& [index, entry] : links_)
        if (const auto out = find_egress(index);
            out && out->port == port && out->vlan == vlan && !entry.value.macvlan)
            return index;
    return 0;
}

std::optional<vrf_number> interfaces::vrf_of_device(std::uint32_t index) const noexcept {
    const link_state* const device = index == 0 ? nullptr : link(index);
    return device == nullptr || device->vrf_table == 0 ? std::nullopt : vrfs_.with_table(device->vrf_table);
}

vrf_number interfaces::vrf_of(std::uint32_t interface) const noexcept {
    const link_state* const own = vrfs_.has_one() ? nullptr : link(interface);
    if (own == nullptr)
        return default_vrf;
    if (const auto vrf = vrf_of_device(own->vrf_table != 0 ? interface : own->master))
        return *vrf;
    const auto out = find_egress(interface);
    return out ? vrfs_.of(out->port, out->vlan) : default_vrf;
}

std::uint32_t interfaces::find_connected(const any_address& address, vrf_number vrf) const noexcept {
    const interface_address* best = nullptr;
    for (const auto& known : addresses_)
        if (is_in(known.value, address) && (best == nullptr || known.value.length > best->length) &&
            vrf_of(known.value.interface) == vrf)
            best = &known.value;
    return best == nullptr ? 0 : best->interface;
}

const neighbour* interfaces::find_neighbour(std::uint32_t interface,
                                            const any_address& address) const noexcept {
    const auto match = neighbours_.find({interface, address});
    return match == neighbours_.end() ? nullptr : &match->second.value;
}

std::optional<any_address> interfaces::source_address(std::uint32_t interface, bool ipv6) const noexcept {
    const any_address* elsewhere = nullptr;
    for (const auto& known : addresses_) {
        const interface_address& candidate = known.value;
        if (std::holds_alternative<ipv6_address>(candidate.address) != ipv6 || !candidate.usable ||
            is_link_local(candidate.address))
            continue;
        if (candidate.interface == interface)
            return candidate.address;
        if (elsewhere == nullptr && vrf_of(candidate.interface) == vrf_of(interface))
            elsewhere = &candidate.address;
    }
    return elsewhere == nullptr ? std::nullopt : std::optional(*elsewhere);
}

} // namespace fingerpost::router
