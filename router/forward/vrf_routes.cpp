// Builds the tables of a VRF, and passes changes to the table of the right address family.
#include "router/forward/vrf_routes.hpp"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/registry/registry.hpp"

namespace fingerpost::router {
namespace {

template <class A>
using own_routes = std::vector<std::pair<prefix<A>, destination>>;

// Adds the special addresses of a network, as in the kernel's local table: the network's address and
// broadcast address (RFC 1122, 3.2.1.3), or the subnet-router anycast address (RFC 4291, 2.6.1).
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
// Link-local packets are never routed and belong to the kernel (RFC 4291, 2.5.6).
bool is_link_local(ipv6_address a) noexcept {
    return top64(a) >> 54 == 0xfe80u >> 6;
}

template <class A>
own_routes<A> routes_of_addresses(const interfaces& links, vrf_number vrf) {
    own_routes<A> locals;
    own_routes<A> networks;
    links.each_address([&](const interface_address& entry) {
        const A* const own = std::get_if<A>(&entry.address);
        if (own == nullptr || !entry.usable || is_link_local(*own) || links.vrf_of(entry.interface) != vrf)
            return;
        const A network = entry.peer ? std::get<A>(*entry.peer) : *own;
        locals.emplace_back(prefix<A>::make(*own, A::bits), destination{action::local, {}});
        const auto around = prefix<A>::make(network, entry.length);
        if (!entry.peer)
            add_special(locals, around);
        networks.emplace_back(around, destination{action::forward, {path{std::nullopt, entry.interface, 1}}});
    });
    // The router's own addresses come first, to take precedence over networks of a single address.
    locals.insert(locals.end(), networks.begin(), networks.end());
    return locals;
}

// Falls back to the default scheme for a family that the named scheme does not support.
template <class A>
const scheme_entry<A>& scheme_for(std::string_view name) {
    const scheme_entry<A>* const named = find_scheme<A>(name);
    return named != nullptr ? *named : default_scheme<A>();
}

// Readers hold old versions only for a burst, so this many attempts are never needed.
template <class A>
errc finish(ip_table& in, scheme_change<A>& built) {
    constexpr int tries = 1'000;
    for (int i = 0; i < tries; ++i) {
        const auto done = in.finish_scheme(built);
        if (!done)
            return done.error();
        if (done->state != publish_state::deferred)
            return errc::ok;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return errc::capacity;
}

} // namespace

bool is_scheme(std::string_view name) noexcept {
    return name.empty() || find_scheme<ipv4_address>(name) != nullptr ||
           find_scheme<ipv6_address>(name) != nullptr;
}

expected<std::unique_ptr<vrf_routes>> vrf_routes::create(vrf_number vrf, const scheme_choice& scheme,
                                                         hop_store& hops) noexcept try {
    const auto chosen = [&]<class A>(const scheme_entry<A>* requested) -> const scheme_entry<A>& {
        return requested != nullptr ? *requested : scheme_for<A>(scheme.name);
    };
    auto table = ip_table::create(chosen(scheme.ipv4), chosen(scheme.ipv6));
    if (!table)
        return unexpected{table.error()};
    return std::unique_ptr<vrf_routes>(new vrf_routes(vrf, std::move(*table), hops));
} catch (...) {
    return unexpected{reason_of_exception()};
}

void vrf_routes::announce(const any_prefix& where, const route_target& to) noexcept {
    if (const auto* const p = std::get_if<ipv4_prefix>(&where))
        ipv4_routes_.announce(*p, to);
    else
        ipv6_routes_.announce(std::get<ipv6_prefix>(where), to);
}

void vrf_routes::withdraw(const any_prefix& where) noexcept {
    if (const auto* const p = std::get_if<ipv4_prefix>(&where))
        ipv4_routes_.withdraw(*p);
    else
        ipv6_routes_.withdraw(std::get<ipv6_prefix>(where));
}

void vrf_routes::begin_refresh() noexcept {
    commit();
    ipv4_routes_.begin_refresh();
    ipv6_routes_.begin_refresh();
}

void vrf_routes::sweep() noexcept {
    ipv4_routes_.sweep();
    ipv6_routes_.sweep();
}

bool vrf_routes::commit() noexcept {
    if (!ipv4_routes_.has_changes() && !ipv6_routes_.has_changes()) {
        failed_ = false;
        poll();
        return table_.pending() == 0;
    }
    auto changes = table_.begin();
    failed_ = ipv4_routes_.stage(changes) != errc::ok || ipv6_routes_.stage(changes) != errc::ok ||
              !changes.commit();
    ipv4_routes_.committed(!failed_);
    ipv6_routes_.committed(!failed_);
    if (failed_)
        return false;
    poll();
    return table_.pending() == 0;
}

void vrf_routes::poll() noexcept {
    if (failed_) {
        commit();
        return;
    }
    if (table_.pending() != 0)
        (void)table_.publish();
    ipv4_routes_.let_go();
    ipv6_routes_.let_go();
}

expected<vrf_scheme_change> vrf_routes::begin_scheme(std::string_view name) noexcept {
    auto ipv4 = table_.begin_scheme(scheme_for<ipv4_address>(name));
    if (!ipv4)
        return unexpected{ipv4.error()};
    auto ipv6 = table_.begin_scheme(scheme_for<ipv6_address>(name));
    if (!ipv6)
        return unexpected{ipv6.error()};
    return vrf_scheme_change{std::move(*ipv4), std::move(*ipv6)};
}

errc vrf_routes::catch_up(vrf_scheme_change& built) noexcept {
    const errc failed = table_.catch_up(built.ipv4);
    return failed != errc::ok ? failed : table_.catch_up(built.ipv6);
}

errc vrf_routes::finish_scheme(vrf_scheme_change& built) noexcept {
    const errc failed = finish(table_, built.ipv4);
    return failed != errc::ok ? failed : finish(table_, built.ipv6);
}

void vrf_routes::follow_addresses(const interfaces& links) {
    ipv4_routes_.set_own(routes_of_addresses<ipv4_address>(links, vrf_));
    ipv6_routes_.set_own(routes_of_addresses<ipv6_address>(links, vrf_));
}

} // namespace fingerpost::router
