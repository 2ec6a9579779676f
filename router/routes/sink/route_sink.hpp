// The interface that all sources of routes report to: the FPM server, the kernel mirror, files and tests.
//
// A source describes the changes of its table. Data threads see nothing before commit(), and then all changes
// since the last commit together, for each family of a VRF. A source that returns after a loss sends its
// whole table again, without marking its end:
//
//   begin_refresh()   makes all existing routes stale; routes announced from here on are fresh
//   announce(...) ... packets still follow stale routes
//   sweep()           withdraws the routes that are still stale
//
// A source that has gone may also begin a refresh: all its routes are then stale until it returns.
//
// All functions are called by the control thread. They do not throw: the sink counts and logs changes that it
// cannot apply, because a source could not react to them anyway.
#pragma once

#include <cstdint>

#include "router/routes/sink/destination.hpp"
#include "router/routes/sink/vrf_list.hpp"

namespace fingerpost::router {

// For one family: the number of routes when the refresh began, and the number of these that were not reported
// again yet.
struct stale_count {
    std::uint64_t former = 0;
    std::uint64_t left = 0;

    friend bool operator==(const stale_count&, const stale_count&) = default;
};
struct stale_routes {
    stale_count ipv4{};
    stale_count ipv6{};

    std::uint64_t left() const noexcept { return ipv4.left + ipv6.left; }
    friend bool operator==(const stale_routes&, const stale_routes&) = default;
};

class route_sink {
  public:
    virtual ~route_sink() = default;

    // Replaces the route of the prefix in this VRF. A group may be defined later; until then, the route drops
    // its packets as unreachable. A path with an interface may leave through another VRF. A gateway without
    // an interface is resolved in the networks of the route's VRF.
    virtual void announce(vrf_number vrf, const any_prefix& where, const route_target& to) noexcept = 0;
    // Ignores a prefix that the source has never announced.
    virtual void withdraw(vrf_number vrf, const any_prefix& where) noexcept = 0;
    // Announce and withdraw in the default VRF.
    void announce(const any_prefix& where, const route_target& to) noexcept {
        announce(default_vrf, where, to);
    }
    void withdraw(const any_prefix& where) noexcept { withdraw(default_vrf, where); }

    // Defines or changes a group; routes of all VRFs that refer to it follow. The source must flatten nested
    // groups: `to` contains only paths. A gateway without an interface is resolved in the networks of the
    // default VRF.
    virtual void set_group(group_id group, const destination& to) noexcept = 0;
    // Routes that still refer to the group drop their packets as unreachable.
    virtual void remove_group(group_id group) noexcept = 0;

    virtual void begin_refresh() noexcept = 0;
    virtual void sweep() noexcept = 0;
    // For the current refresh, summed over all VRFs; zero if there is none.
    virtual stale_routes stale() const noexcept = 0;
    virtual void commit() noexcept = 0;
};

} // namespace fingerpost::router
