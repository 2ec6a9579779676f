// The requests that the kernel mirror and the set-up of ports send. A request is one message in its own
// memory.
#pragma once

#include <array>
#include <cstdint>

#include <linux/netlink.h>

#include "router/routes/sink/destination.hpp"
#include "router/routes/sink/interface_sink.hpp"
#include "router/routes/sink/vrf_list.hpp"

namespace fingerpost::router {

// All links, addresses, neighbours or next-hop objects, or the routes of one table.
struct netlink_dump {
    std::uint16_t type = 0; // RTM_GETLINK, ...
    std::uint8_t family = 0;
    std::uint32_t table = main_table; // of routes
};

class netlink_request {
  public:
    // The message is valid as long as the request.
    const nlmsghdr* dump(const netlink_dump& what, std::uint32_t sequence) noexcept;
    // What the kernel knows of one link.
    const nlmsghdr* link(std::uint32_t interface, std::uint32_t sequence) noexcept;
    // Makes the kernel find out a neighbour's address, or check a stale one, as if it had a packet for it.
    const nlmsghdr* resolve(std::uint32_t interface, const any_address& address,
                            std::uint32_t sequence) noexcept;
    // Sets whether the link has a carrier, if its driver supports that, as that of TAPs does.
    const nlmsghdr* carrier(std::uint32_t interface, bool up, std::uint32_t sequence) noexcept;
    // A VLAN device above a link, brought up at once; the kernel answers with an acknowledgement or an error.
    // The name has at most 15 bytes.
    const nlmsghdr* add_vlan(const char* name, std::uint32_t parent, std::uint16_t id,
                             std::uint32_t sequence) noexcept;
    // Each is acknowledged too. An address that exists already stays.
    const nlmsghdr* add_address(const interface_address& one, std::uint32_t sequence) noexcept;
    const nlmsghdr* remove_address(const interface_address& one, std::uint32_t sequence) noexcept;
    const nlmsghdr* set_up(std::uint32_t interface, std::uint32_t sequence) noexcept;
    const nlmsghdr* set_mtu(std::uint32_t interface, std::uint32_t mtu, std::uint32_t sequence) noexcept;

  private:
    const nlmsghdr* change_address(const interface_address& one, std::uint16_t type, std::uint16_t flags,
                                   std::uint32_t sequence) noexcept;
    nlmsghdr* change_link(std::uint32_t interface, std::uint32_t sequence) noexcept;

    alignas(nlmsghdr) std::array<char, 256> bytes_{}; // twice the longest
};

} // namespace fingerpost::router
