// The routes of one VRF: a live table for each family, and what the control thread knows of its routes.
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

// Both tables of a VRF on their way to another scheme.
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
    // False if not everything is visible yet; see route_store.
    bool commit() noexcept;
    void poll() noexcept;

    // As in table; finish_scheme() waits until readers have let go of old versions.
    expected<vrf_scheme_change> begin_scheme(std::string_view name) noexcept;
    errc catch_up(vrf_scheme_change& built) noexcept;
    errc finish_scheme(vrf_scheme_change& built) noexcept;

    // The routes of the addresses of interfaces that are in this VRF. Throws std::bad_alloc.
    void follow_addresses(const interfaces& links);

    stale_routes stale() const noexcept { return {ipv4_routes_.stale(), ipv6_routes_.stale()}; }
    ipv4_table& ipv4() noexcept { return ipv4_; }
    ipv6_table& ipv6() noexcept { return ipv6_; }
    const ipv4_table& ipv4() const noexcept { return ipv4_; }
    const ipv6_table& ipv6() const noexcept { return ipv6_; }
    const route_counts& ipv4_counts() const noexcept { return ipv4_routes_.counts(); }
    const route_counts& ipv6_counts() const noexcept { return ipv6_routes_.counts(); }

  private:
    vrf_routes(vrf_number vrf, ipv4_table ipv4, ipv6_table ipv6, hop_store& hops)
        : vrf_(vrf), ipv4_(std::move(ipv4)), ipv6_(std::move(ipv6)), ipv4_routes_(ipv4_, hops, vrf),
          ipv6_routes_(ipv6_, hops, vrf) {}

    vrf_number vrf_;
    ipv4_table ipv4_;
    ipv6_table ipv6_;
    route_store<ipv4_address> ipv4_routes_;
    route_store<ipv6_address> ipv6_routes_;
};

} // namespace fingerpost::router
