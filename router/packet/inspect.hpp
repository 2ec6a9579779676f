// Classifies a received frame: a packet to forward, a packet for the host (the kernel at the other end of the
// port's TAP), or a frame that the router must not pass on.
//
// The checks are those of RFC 1812 5.2 and 5.3, RFC 4291 2.5 and RFC 8200 3. Where these leave a choice, this
// router behaves like Linux, as documented and as observed. No table is consulted, so the result does not
// depend on the router's own addresses or routes. The TTL is not checked either, because packets for the
// router itself may have any.
//
//   Ethernet  another station's MAC           drop; a port may have several, each on its VLAN
//             one 802.1Q tag                  its VLAN must have an interface; id 0 counts as untagged
//             neither IPv4 nor IPv6           host
//             IP in a broadcast or multicast  host, never forwarded
//   IPv4      version, lengths, checksum      drop if wrong; a longer frame is trimmed to the packet
//             source 0/8, 127/8, 224/4,
//             255.255.255.255                 drop; but 0/8 may send to broadcast and multicast addresses
//             destination 127/8, 0/8          drop; but from 0.0.0.0 to 0.0.0.0, an old broadcast: host
//             destination 224/4 or
//             255.255.255.255                 host
//             loose or strict source route    drop
//             malformed options               host, which answers
//   IPv6      version, payload length         drop if wrong; a longer frame is trimmed to the packet
//             source ::, ::1, ff00::/8        drop; but :: may send to multicast addresses
//             destination ::, ::1, multicast
//             of scope 0 or 1                 drop
//             other multicast                 host
//             link-local, either address      host
//             hop-by-hop options to be
//             examined, jumbo payload         host
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include <rte_ether.h>
#include <rte_mbuf.h>

#include "router/packet/drop_reason.hpp"
#include "router/packet/flow_hash.hpp"

namespace fingerpost::router {

// VLAN ids that have an interface on a port.
using vlan_ids = std::bitset<4096>;

// An additional MAC address of the router, valid only in frames of one VLAN; 0 stands for untagged frames.
struct further_mac {
    rte_ether_addr mac{};
    std::uint16_t vlan = 0;
};

// Properties of the port on which a frame arrived.
struct ingress {
    rte_ether_addr mac{};
    vlan_ids vlans{};
    flow_key flows{};
    std::vector<further_mac> others{}; // for example of a virtual router
};

enum class verdict : std::uint8_t { forward_ipv4, forward_ipv6, host, drop };

struct inspected {
    verdict what = verdict::drop;
    drop_reason why{}; // for drop only

    friend bool operator==(const inspected&, const inspected&) = default;
};

// Writes the notes (notes.hpp) of a packet that is not dropped, and keeps the driver's flow hash if there is
// one. The Ethernet header and, for IP, the IP header with its options must be in the first segment;
// otherwise the frame is treated as ending there.
inspected inspect(rte_mbuf& frame, const ingress& port) noexcept;

} // namespace fingerpost::router
