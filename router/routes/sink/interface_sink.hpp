// Receives the kernel's links, addresses and neighbours from the kernel mirror, which follows them for every
// source of routes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "router/routes/sink/destination.hpp"

namespace fingerpost::router {

using mac_address = std::array<std::uint8_t, 6>;

struct link_state {
    std::uint32_t index = 0; // the kernel's number
    std::string name;
    mac_address mac{};
    std::uint32_t mtu = 0;
    bool up = false;             // administratively up, and with a carrier
    std::uint32_t parent = 0;    // VLAN or macvlan device: number of the link below; else 0
    std::uint16_t vlan = 0;      // VLAN device: its id; else 0
    bool macvlan = false;        // in the network of the link below, with its own MAC address
    std::uint32_t master = 0;    // number of the bridge or VRF device that the link belongs to; else 0
    std::uint32_t vrf_table = 0; // VRF device: the number of its table; else 0
    std::uint32_t losses = 0;    // number of carrier losses

    friend bool operator==(const link_state&, const link_state&) = default;
};

// An address of the router and its network.
struct interface_address {
    std::uint32_t interface = 0;
    any_address address{};
    std::uint8_t length = 0;           // prefix length of the network
    std::optional<any_address> peer{}; // point-to-point link: its other end, to which the prefix belongs
    bool usable = true;                // false while duplicate address detection runs

    friend bool operator==(const interface_address&, const interface_address&) = default;
};

// `resolved`: packets may be sent to `mac`. `failed`: the kernel asked and got no answer.
enum class neighbour_state : std::uint8_t { unresolved, resolved, failed };

struct neighbour {
    std::uint32_t interface = 0;
    any_address address{};
    mac_address mac{};
    neighbour_state state = neighbour_state::unresolved;
    // A resolved neighbour that has not been heard from for a while. The kernel checks it only when it uses
    // the neighbour itself.
    bool stale = false;

    friend bool operator==(const neighbour&, const neighbour&) = default;
};

// Like route_sink: called by the control thread, visible at commit(), and refreshed by mark and sweep after
// lost events.
class interface_sink {
  public:
    virtual ~interface_sink() = default;

    virtual void set_link(const link_state& link) noexcept = 0;
    virtual void remove_link(std::uint32_t index) noexcept = 0;
    virtual void set_address(const interface_address& address) noexcept = 0;
    virtual void remove_address(const interface_address& address) noexcept = 0;
    virtual void set_neighbour(const neighbour& report) noexcept = 0;
    virtual void remove_neighbour(std::uint32_t interface, const any_address& address) noexcept = 0;

    virtual void begin_refresh() noexcept = 0;
    virtual void sweep() noexcept = 0;
    virtual void commit() noexcept = 0;
};

} // namespace fingerpost::router
