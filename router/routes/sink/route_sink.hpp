// The interface to which all sources of routes report: the FPM server, the kernel mirror, files and tests.
//
// A source describes its table as it changes. Nothing is visible to the data threads before commit(); then
// everything since the last commit is, at once for each family of a VRF. After a source was lost and is back,
// it sends its whole table again, without marking its end:
//
//     begin_refresh()     from here on, what is announced is fresh; what was there before is stale
//     announce(...) ...   packets still follow stale routes
//     sweep()             withdraws what is still stale
//
// A source that has gone may begin a refresh too: then all its routes are stale until it is back.
//
// All functions are called by the control thread. None of them throws: the sink counts and logs a change that
// it cannot apply, because no source could do anything about it.
#pragma once

#include <cstdint>

#include "router/routes/sink/destination.hpp"
#include "router/routes/sink/vrf_list.hpp"

namespace fingerpost::router {

// For one family: the routes that existed when the refresh began, and those of them that were not reported
// since.
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

    // Replaces what the prefix had in this VRF. A group need not be known yet: until it is, the route drops
    // its packets as unreachable. A path with an interface may leave by that of another VRF; a gateway
    // without one is looked for among the networks of the route's VRF.
    virtual void announce(vrf_number vrf, const any_prefix& where, const route_target& to) noexcept = 0;
    // Does nothing for a prefix that the source never announced.
    virtual void withdraw(vrf_number vrf, const any_prefix& where) noexcept = 0;
    // The same in the default VRF.
    void announce(const any_prefix& where, const route_target& to) noexcept {
        announce(default_vrf, where, to);
    }
    void withdraw(const any_prefix& where) noexcept { withdraw(default_vrf, where); }

    // Defines or changes a group; the routes of all VRFs that name it follow. The source must resolve groups
    // of groups before: `to` contains only paths. A gateway without an interface is looked for among the
    // networks of the default VRF.
    virtual void set_group(group_id group, const destination& to) noexcept = 0;
    // Routes that still name it drop their packets as unreachable.
    virtual void remove_group(group_id group) noexcept = 0;

    virtual void begin_refresh() noexcept = 0;
    virtual void sweep() noexcept = 0;
    // For the current refresh, of all VRFs together; zero if there is none.
    virtual stale_routes stale() const noexcept = 0;
    virtual void commit() noexcept = 0;
};

} // namespace fingerpost::router
