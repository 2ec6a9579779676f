// The routes of the kernel's main table, and which of them count: of several routes for a prefix the one with
// the lowest metric is announced.
//
// Left out are: routes of other tables, cached routes, routes only for some sources or types of service, IPv6
// link-local networks and ff00::/8. Also left out is the kernel's own IPv6 default route that is unreachable
// and has the highest metric: the kernel uses it in place of "no route".
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <unordered_map>

#include "router/routes/netlink/group_table.hpp"
#include "router/routes/netlink/netlink_message.hpp"
#include "router/routes/sink/route_sink.hpp"
#include "router/routes/sink/shared_targets.hpp"

namespace fingerpost::router {

bool counts_as_route(const route_message& route) noexcept;

class kernel_routes {
  public:
    explicit kernel_routes(route_sink& sink) noexcept
        : sink_(sink), groups_(sink, group_numbering::as_given) {}

    // Like routes, next-hop objects come first from dumps and then from events.
    group_table& groups() noexcept { return groups_; }

    void take_dumped(const route_message& route);
    // False if the event leaves open which route the kernel uses now: only a new dump can tell.
    bool take_event(const route_message& route);

    // From here on until sweep(), routes that neither a dump nor an event reports again are stale. There may
    // be several dumps between, each after a begin_dump(): a route that one of them shows stays.
    void begin_refresh();
    void begin_dump() noexcept { ++dump_; }
    void sweep();

    std::size_t prefixes() const noexcept { return ipv4_.size() + ipv6_.size(); }

  private:
    // Routes with the same prefix and metric are one candidate. The kernel may have several such routes and
    // uses one of them; of the others it is only known that they exist.
    struct candidate {
        shared_target target;
        std::uint32_t metric = 0;
        bool has_alternatives = false;
        std::uint8_t dump = 0; // the last dump that showed it, or that preceded an event about it
    };
    // For one prefix, in any order; there is rarely more than one.
    using candidates = std::forward_list<candidate>;
    struct prefix_hash {
        template <class A>
        std::size_t operator()(const prefix<A>& where) const noexcept;
    };
    template <class A>
    using family = std::unordered_map<prefix<A>, candidates, prefix_hash>;

    bool remove(const route_message& route);
    template <class A>
    void sweep(family<A>& table);
    void tell(const any_prefix& where, const candidates& from);
    shared_target target_of(const route_message& route);
    candidates& list_of(const any_prefix& where);
    candidates* find(const any_prefix& where);
    void forget(const any_prefix& where);

    route_sink& sink_;
    group_table groups_;
    // One for each family, because IPv4's prefixes take 1/4 of the room.
    target_pool targets_;
    family<ipv4_address> ipv4_;
    family<ipv6_address> ipv6_;
    // The number of the current dump; it starts again after 255, but a refresh has fewer.
    std::uint8_t dump_ = 0;
    std::uint8_t first_of_refresh_ = 0;
};

} // namespace fingerpost::router
