// Requests of the kernel mirror and of the setup of ports. A request is a single message, stored in this
// object.
#pragma once

#include <array>
#include <cstdint>

#include <linux/netlink.h>

#include "router/routes/sink/destination.hpp"
#include "router/routes/sink/interface_sink.hpp"
#include "router/routes/sink/vrf_list.hpp"

namespace fingerpost::router {

// Requests all links, addresses, neighbours or next-hop objects, or the routes of one table.
struct netlink_dump {
    std::uint16_t type = 0; // RTM_GETLINK, ...
    std::uint8_t family = 0;
    std::uint32_t table = main_table; // for routes
};

class netlink_request {
  public:
    // The message is valid as long as the request.
    const nlmsghdr* dump(const netlink_dump& what, std::uint32_t sequence) noexcept;
    // Requests the properties of one link.
    const nlmsghdr* link(std::uint32_t interface, std::uint32_t sequence) noexcept;
    // Makes the kernel resolve a neighbour's address, or check a stale one, as if it had a packet for it.
    const nlmsghdr* resolve(std::uint32_t interface, const any_address& address,
                            std::uint32_t sequence) noexcept;
    // Sets the carrier of a link. The driver must support it, as the TAP driver does.
    const nlmsghdr* carrier(std::uint32_t interface, bool up, std::uint32_t sequence) noexcept;
    // Creates a VLAN device on a link and brings it up. The kernel answers with an acknowledgement or an
    // error. The name has at most 15 bytes.
    const nlmsghdr* add_vlan(const char* name, std::uint32_t parent, std::uint16_t id,
                             std::uint32_t sequence) noexcept;
    // These are acknowledged too. An existing address stays.
    const nlmsghdr* add_address(const interface_address& target, std::uint32_t sequence) noexcept;
    const nlmsghdr* remove_address(const interface_address& target, std::uint32_t sequence) noexcept;
    const nlmsghdr* set_up(std::uint32_t interface, std::uint32_t sequence) noexcept;
    const nlmsghdr* set_mtu(std::uint32_t interface, std::uint32_t mtu, std::uint32_t sequence) noexcept;

  private:
    const nlmsghdr* change_address(const interface_address& target, std::uint16_t type, std::uint16_t flags,
                                   std::uint32_t sequence) noexcept;
    nlmsghdr* change_link(std::uint32_t interface, std::uint32_t sequence) noexcept;

    alignas(nlmsghdr) std::array<char, 256> bytes_{}; // twice the longest message
};

} // namespace fingerpost::router
