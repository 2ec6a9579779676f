// The routes of one VRF: a live table, and the control thread's data about its routes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "router/forward/route_store.hpp"

namespace fingerpost::router {

// The scheme for the lookups.
struct scheme_choice {
    std::string
        name{}; // empty: the default scheme; also used for a family that the named scheme does not support
    // Used instead of the named scheme, one for each family: for schemes outside the registry.
    const scheme_entry<ipv4_address>* ipv4 = nullptr;
    const scheme_entry<ipv6_address>* ipv6 = nullptr;
};

// True for schemes of either family, and for the empty name, which stands for the default scheme.
bool is_scheme(std::string_view name) noexcept;

// New tables for both families of a VRF while the scheme changes.
struct vrf_scheme_change {
    scheme_change<ipv4_address> ipv4;
    scheme_change<ipv6_address> ipv6;

    errc build() noexcept {
        const errc failed = ipv4.build();
        return failed != errc::ok ? failed : ipv6.build();
    }
};

class vrf_routes {
  public:
    // Fails with errc::out_of_memory.
    static expected<std::unique_ptr<vrf_routes>> create(vrf_number vrf, const scheme_choice& scheme,
                                                        hop_store& hops) noexcept;
    vrf_routes(const vrf_routes&) = delete;
    vrf_routes& operator=(const vrf_routes&) = delete;

    void announce(const any_prefix& where, const route_target& to) noexcept;
    void withdraw(const any_prefix& where) noexcept;
    void begin_refresh() noexcept;
    void sweep() noexcept;
    // Publishes the collected changes. Returns false if that is not possible yet, because a reader stalls or
    // memory is short; the next commit retries.
    bool commit() noexcept;
    // Retries postponed publications. Changes collected since then are not included.
    void poll() noexcept;

    // Change the scheme, like the functions of table. finish_scheme() waits until readers have released old
    // versions.
    expected<vrf_scheme_change> begin_scheme(std::string_view name) noexcept;
    errc catch_up(vrf_scheme_change& built) noexcept;
    errc finish_scheme(vrf_scheme_change& built) noexcept;

    // Updates the routes that follow from interface addresses in this VRF. Throws std::bad_alloc.
    void follow_addresses(const interfaces& links);

    stale_routes stale() const noexcept { return {ipv4_routes_.stale(), ipv6_routes_.stale()}; }
    ip_table& table() noexcept { return table_; }
    const ip_table& table() const noexcept { return table_; }
    template <class A>
    const family_table<A>& routes() const noexcept {
        return table_.of<A>();
    }
    const route_counts& ipv4_counts() const noexcept { return ipv4_routes_.counts(); }
    const route_counts& ipv6_counts() const noexcept { return ipv6_routes_.counts(); }

  private:
    vrf_routes(vrf_number vrf, ip_table table, hop_store& hops)
        : vrf_(vrf), table_(std::move(table)), ipv4_routes_(table_, hops, vrf),
          ipv6_routes_(table_, hops, vrf) {}

    vrf_number vrf_;
    ip_table table_;
    route_store<ipv4_address> ipv4_routes_;
    route_store<ipv6_address> ipv6_routes_;
    bool failed_ = false; // the last commit failed for lack of memory
};

} // namespace fingerpost::router
