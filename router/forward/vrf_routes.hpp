// The routes of one VRF: a live table, and what the control thread knows of its routes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "router/forward/route_store.hpp"

namespace fingerpost::router {

// How routes are looked up.
struct scheme_choice {
    std::string name{}; // the default scheme if empty, or for a family that it does not serve
    // Used instead of the named scheme, one for each family: for schemes that are in no registry.
    const scheme_entry<ipv4_address>* ipv4 = nullptr;
    const scheme_entry<ipv6_address>* ipv6 = nullptr;
};

// False for a name that no scheme of either family has; the empty name is that of the default scheme.
bool is_scheme(std::string_view name) noexcept;

// Both families of a VRF on their way to another scheme.
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
    // errc::out_of_memory.
    static expected<std::unique_ptr<vrf_routes>> create(vrf_number vrf, const scheme_choice& scheme,
                                                        hop_store& hops) noexcept;
    vrf_routes(const vrf_routes&) = delete;
    vrf_routes& operator=(const vrf_routes&) = delete;

    void announce(const any_prefix& where, const route_target& to) noexcept;
    void withdraw(const any_prefix& where) noexcept;
    void begin_refresh() noexcept;
    void sweep() noexcept;
    // Makes the collected changes visible. False if that is not possible yet, because a reader stalls or
    // memory is short; the next commit tries again.
    bool commit() noexcept;
    // Tries again what could not be made visible. Changes collected since then stay collected.
    void poll() noexcept;

    // As in table; finish_scheme() waits until readers have let go of old versions.
    expected<vrf_scheme_change> begin_scheme(std::string_view name) noexcept;
    errc catch_up(vrf_scheme_change& built) noexcept;
    errc finish_scheme(vrf_scheme_change& built) noexcept;

    // The routes of the addresses of interfaces that are in this VRF. Throws std::bad_alloc.
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
    bool failed_ = false; // the last commit failed for want of memory
};

} // namespace fingerpost::router
