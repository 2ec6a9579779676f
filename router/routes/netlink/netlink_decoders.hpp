// The decoders for the kinds of netlink messages; netlink_message.cpp chooses among them.
#pragma once

#include "router/routes/netlink/netlink_attributes.hpp"
#include "router/routes/netlink/netlink_message.hpp"

namespace fingerpost::router::netlink {

// Each decodes what follows the netlink header and fills `out.body`, or leaves it as it is if the message is
// not for a router of IPv4 and IPv6. `flags` is in `out` already.
fault decode_route(const region& in, bool removed, netlink_message& out);
fault decode_next_hop(const region& in, bool removed, netlink_message& out);
fault decode_link(const region& in, bool removed, netlink_message& out);
fault decode_address(const region& in, bool removed, netlink_message& out);
fault decode_neighbour(const region& in, bool removed, netlink_message& out);

} // namespace fingerpost::router::netlink
