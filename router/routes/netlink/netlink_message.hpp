// rtnetlink messages as plain structs. The kernel sends them to the mirror, and zebra sends the same messages
// in FPM frames.
//
// The input may contain arbitrary bytes: nothing outside of it is read, and inconsistent input is an error
// with its place. Well-formed messages that are irrelevant for a router of IPv4 and IPv6 (MPLS routes, bridge
// ports, queueing disciplines) are decoded as other_message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "router/routes/sink/destination.hpp"
#include "router/routes/sink/interface_sink.hpp"

namespace fingerpost::router {

// `offset` counts bytes from the start of the decoded input.
struct netlink_error {
    std::size_t offset = 0;
    std::string reason;

    friend bool operator==(const netlink_error&, const netlink_error&) = default;
};

// A route as described by its source; forwarded_as() decides how the router handles it.
struct route_message {
    bool removed = false;
    bool replaces = false; // NLM_F_REPLACE
    bool appended = false; // NLM_F_APPEND
    any_prefix where{};
    std::uint32_t table = 0;
    std::uint32_t metric = 0;
    std::uint8_t type = 0;           // RTN_UNICAST, ...
    std::uint8_t protocol = 0;       // RTPROT_ZEBRA, ...
    std::uint8_t service = 0;        // required type of service of packets; 0: any
    bool cloned = false;             // a cache entry of the kernel, not a route
    bool of_some_sources = false;    // only for packets from particular sources (IPv6 subtrees)
    std::uint32_t unsupported = 0;   // paths ignored because of a tunnel header, labels or another family
    std::optional<group_id> group{}; // a next-hop object; `paths` may then only repeat its content
    std::vector<path> paths{};

    friend bool operator==(const route_message&, const route_message&) = default;
};

struct group_member {
    std::uint32_t id = 0;
    std::uint32_t weight = 1; // 1 to 65,536

    friend bool operator==(group_member, group_member) = default;
};

// A next-hop object: one path, a blackhole, or a group of other objects.
struct next_hop_message {
    bool removed = false;
    std::uint32_t id = 0;
    bool blackhole = false;
    bool unsupported = false; // a tunnel header, or an entry of a bridge
    std::optional<path> exit{};
    std::vector<group_member> members{};

    friend bool operator==(const next_hop_message&, const next_hop_message&) = default;
};

struct link_message {
    bool removed = false;
    link_state link;
};

struct address_message {
    bool removed = false;
    interface_address address;
};

struct neighbour_message {
    bool removed = false;
    bool of_link = false; // multicast, broadcast or loopback: an address that needs no resolution
    neighbour entry;
};

// The end of a dump, or the answer to a request. `error` is 0 or an errno.
struct answer_message {
    bool ends_dump = false;
    int error = 0;
};

struct other_message {
    std::uint16_t type = 0;
};

struct netlink_message {
    std::uint16_t flags = 0; // NLM_F_...
    std::uint32_t sequence = 0;
    std::variant<other_message, answer_message, route_message, next_hop_message, link_message,
                 address_message, neighbour_message>
        body{};
};

using netlink_messages = std::vector<netlink_message>;

// Decodes all messages of one datagram or frame, or none. Up to three bytes of padding may follow the last
// one.
expected<netlink_messages, netlink_error> decode_netlink(std::span<const std::byte> bytes);

// How packets on a route are handled; nothing for types that are not used for forwarding (broadcast, anycast,
// multicast). `throw` ends a search in its table; without further tables it means unreachable.
std::optional<action> forwarded_as(const route_message& route) noexcept;

// False for IPv6 networks that routers never forward to: link-local and multicast.
bool is_forwarded(const any_prefix& where) noexcept;

// The destination of a route without a group. A unicast route without a usable path is unreachable, so that a
// shorter prefix does not receive its packets.
destination destination_of(const route_message& route);

} // namespace fingerpost::router
