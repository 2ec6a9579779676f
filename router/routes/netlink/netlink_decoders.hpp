// Decoders for the types of netlink messages; netlink_message.cpp selects one.
#pragma once

#include "router/routes/netlink/netlink_attributes.hpp"
#include "router/routes/netlink/netlink_message.hpp"

namespace fingerpost::router::netlink {

// Each decodes the bytes after the netlink header and fills `out.body`, or leaves it unchanged if the message
// is irrelevant for a router of IPv4 and IPv6. `out.flags` is already set.
fault decode_route(const region& in, bool removed, netlink_message& out);
fault decode_next_hop(const region& in, bool removed, netlink_message& out);
fault decode_link(const region& in, bool removed, netlink_message& out);
fault decode_address(const region& in, bool removed, netlink_message& out);
fault decode_neighbour(const region& in, bool removed, netlink_message& out);

} // namespace fingerpost::router::netlink
