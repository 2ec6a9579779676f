// The routes of the kernel's main table and of the tables of VRFs. If a table has several routes for a
// prefix, the one with the lowest metric is announced.
//
// Ignored are routes of other tables, cached routes, routes for particular sources or types of service, IPv6
// link-local networks and ff00::/8, and the kernel's own unreachable IPv6 default route with the highest
// metric, which the kernel uses in place of "no route". If there are several VRFs, the routes that the kernel
// derives from addresses are ignored too: without VRF devices they are all in the main table, and the router
// creates such routes itself, in the VRF of each interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "router/routes/netlink/group_table.hpp"
#include "router/routes/netlink/netlink_message.hpp"
#include "router/routes/sink/route_sink.hpp"
#include "router/routes/sink/shared_targets.hpp"

namespace fingerpost::router {

bool counts_as_route(const route_message& route, const vrf_list& vrfs = {}) noexcept;

class kernel_routes {
  public:
    explicit kernel_routes(route_sink& sink, vrf_list vrfs = {})
        : sink_(sink), vrfs_(std::move(vrfs)), groups_(sink, group_numbering::as_given),
          tables_(vrfs_.size()) {}

    // Like routes, next-hop objects come first from dumps and then from events.
    group_table& groups() noexcept { return groups_; }

    void take_dumped(const route_message& route);
    // Returns false if the event does not show which route the kernel uses now, so that a new dump is needed.
    bool take_event(const route_message& route);

    // Marks routes as stale until a dump or an event reports them again; sweep() removes the others. A
    // refresh may contain several dumps, each after begin_dump(): a route stays if any of them shows it.
    void begin_refresh();
    void begin_dump() noexcept { ++dump_; }
    void sweep();

    std::size_t prefixes() const noexcept {
        std::size_t count = 0;
        for (const table_of_vrf& table : tables_)
            count += table.ipv4.size() + table.ipv6.size();
        return count;
    }

  private:
    // Routes with the same prefix and metric are one candidate. The kernel may have several such routes and
    // uses one of them. Of the others only their existence is known.
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

    // Separate maps, because IPv4 prefixes take 1/4 of the memory of IPv6 prefixes.
    struct table_of_vrf {
        family<ipv4_address> ipv4;
        family<ipv6_address> ipv6;
    };

    bool remove(vrf_number vrf, const route_message& route);
    template <class A>
    void sweep(vrf_number vrf, family<A>& table);
    void report_best(vrf_number vrf, const any_prefix& where, const candidates& from);
    shared_target target_of(const route_message& route);
    candidates& list_of(vrf_number vrf, const any_prefix& where);
    candidates* find(vrf_number vrf, const any_prefix& where);
    void forget(vrf_number vrf, const any_prefix& where);

    route_sink& sink_;
    vrf_list vrfs_;
    group_table groups_;
    target_pool targets_;
    std::vector<table_of_vrf> tables_; // by VRF number
    // Number of the current dump. It wraps around after 255, but a refresh has fewer dumps.
    std::uint8_t dump_ = 0;
    std::uint8_t first_of_refresh_ = 0;
};

} // namespace fingerpost::router
