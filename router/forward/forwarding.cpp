// Updates the tables by what sources and the kernel report.
#include "router/forward/forwarding.hpp"

#include <algorithm>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/registry/registry.hpp"

namespace fingerpost::router {
namespace {

template <class A>
using own_routes = std::vector<std::pair<prefix<A>, destination>>;

// Like the kernel's own table of local routes, for an address: the address itself, and the broadcast address
// of its network (RFC 1122, 3.2.1.3) or the address of any router (RFC 4291, 2.6.1).
void add_special(own_routes<ipv4_address>& into, ipv4_prefix network) {
    if (network.length > 30)
        return;
    into.emplace_back(ipv4_prefix::make(network.first(), 32), destination{action::local, {}});
    into.emplace_back(ipv4_prefix::make(network.last(), 32), destination{action::local, {}});
}
void add_special(own_routes<ipv6_address>& into, ipv6_prefix network) {
    if (network.length < 127)
        into.emplace_back(ipv6_prefix::make(network.first(), 128), destination{action::local, {}});
}

bool is_link_local(ipv4_address) noexcept {
    return false;
}
// Never routed: these packets belong to the kernel (RFC 4291, 2.5.6).
bool is_link_local(ipv6_address a) noexcept {
    return top64(a) >> 54 == 0xfe80u >> 6;
}

template <class A>
own_routes<A> routes_of_addresses(const interfaces& links) {
    own_routes<A> locals;
    own_routes<A> networks;
    links.each_address([&](const interface_address& one) {
        const A* const own = std::get_if<A>(&one.address);
        if (own == nullptr || !one.usable || is_link_local(*own))
            return;
        const A network = one.peer ? std::get<A>(*one.peer) : *own;
        locals.emplace_back(prefix<A>::make(*own, A::bits), destination{action::local, {}});
        const auto around = prefix<A>::make(network, one.length);
        if (!one.peer)
            add_special(locals, around);
        networks.emplace_back(around, destination{action::forward, {path{std::nullopt, one.interface, 1}}});
    });
    // The router's own addresses first: they take precedence over networks of a single address.
    locals.insert(locals.end(), networks.begin(), networks.end());
    return locals;
}

// The default scheme, for a family that the named scheme does not serve.
template <class A>
expected<table<A>> table_of(const scheme_entry<A>* given, std::string_view name) {
    const scheme_entry<A>* const named = find_scheme<A>(name);
    return table<A>::create(given != nullptr ? *given : named != nullptr ? *named : default_scheme<A>());
}

} // namespace

expected<std::unique_ptr<forwarding>> forwarding::create(const forwarding_options& options,
                                                         grace_clock& clock) noexcept try {
    auto ipv4 = table_of(options.ipv4_scheme, options.scheme);
    if (!ipv4)
        return unexpected{ipv4.error()};
    auto ipv6 = table_of(options.ipv6_scheme, options.scheme);
    if (!ipv6)
        return unexpected{ipv6.error()};
    if (!options.scheme.empty() && find_scheme<ipv4_address>(options.scheme) == nullptr &&
        find_scheme<ipv6_address>(options.scheme) == nullptr)
        return unexpected{errc::not_found};
    auto old = std::make_unique<reclaimer>(clock);
    auto neighbours = neighbour_table::create(options.most_neighbours, *old);
    if (!neighbours)
        return unexpected{neighbours.error()};
    return std::unique_ptr<forwarding>(
        new forwarding(options, std::move(old), std::move(*ipv4), std::move(*ipv6), std::move(*neighbours)));
} catch (...) {
    return unexpected{reason_of_exception()};
}

forwarding::forwarding(const forwarding_options& options, std::unique_ptr<reclaimer> old, ipv4_table ipv4,
                       ipv6_table ipv6, neighbour_table neighbours)
    : old_(std::move(old)), ipv4_(std::move(ipv4)), ipv6_(std::move(ipv6)),
      numbers_(options.most_next_hops, *old_), links_(options.taps), hops_(links_, numbers_, *old_),
      neighbours_(std::move(neighbours)), ipv4_routes_(ipv4_, hops_), ipv6_routes_(ipv6_, hops_) {
    links_.on_change([this] { follow_links(); });
}

void forwarding::announce(const any_prefix& where, const route_target& to) noexcept {
    if (const auto* const p = std::get_if<ipv4_prefix>(&where))
        ipv4_routes_.announce(*p, to);
    else
        ipv6_routes_.announce(std::get<ipv6_prefix>(where), to);
}

void forwarding::withdraw(const any_prefix& where) noexcept {
    if (const auto* const p = std::get_if<ipv4_prefix>(&where))
        ipv4_routes_.withdraw(*p);
    else
        ipv6_routes_.withdraw(std::get<ipv6_prefix>(where));
}

void forwarding::set_group(group_id group, const destination& to) noexcept {
    if (hops_.set_group(group, to) != errc::ok)
        ++refused_groups_;
}

void forwarding::remove_group(group_id group) noexcept {
    hops_.remove_group(group);
}

void forwarding::begin_refresh() noexcept {
    ipv4_routes_.begin_refresh();
    ipv6_routes_.begin_refresh();
}

void forwarding::sweep() noexcept {
    ipv4_routes_.sweep();
    ipv6_routes_.sweep();
}

void forwarding::commit() noexcept {
    ipv4_routes_.commit();
    ipv6_routes_.commit();
    old_->poll();
}

void forwarding::poll() noexcept {
    ipv4_routes_.poll();
    ipv6_routes_.poll();
    old_->poll();
}

void forwarding::follow_links() noexcept {
    hops_.refresh();
    // Without memory the tables stay as they are until the kernel reports something again.
    (void)or_reason([&] {
        follow_neighbours();
        follow_addresses();
        if (links_changed_)
            links_changed_();
        return errc::ok;
    });
    commit();
}

void forwarding::follow_neighbours() {
    std::map<neighbour_key, std::uint32_t> now;
    links_.each_neighbour([&](const neighbour& one) {
        if (one.state == neighbour_state::resolved && links_.find_egress(one.interface))
            now.emplace(neighbour_key{one.interface, one.address}, 0);
    });
    for (auto at = known_neighbours_.begin(); at != known_neighbours_.end();) {
        if (const auto still = now.find(at->first); still != now.end()) {
            now.erase(still);
            ++at;
            continue;
        }
        neighbours_.remove(at->first.interface, at->first.address,
                           [this, number = at->second] { hops_.release(number); });
        at = known_neighbours_.erase(at);
    }
    for (const auto& [key, unset] : now) {
        const auto number = hops_.hold(destination{action::forward, {path{key.address, key.interface, 1}}});
        if (!number)
            continue;
        if (neighbours_.set(key.interface, key.address, *number) == errc::ok)
            known_neighbours_.emplace(key, *number);
        else
            hops_.release(*number);
    }
}

void forwarding::follow_addresses() {
    ipv4_routes_.set_own(routes_of_addresses<ipv4_address>(links_));
    ipv6_routes_.set_own(routes_of_addresses<ipv6_address>(links_));
}

} // namespace fingerpost::router
