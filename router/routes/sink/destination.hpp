// The destination of a route as its source describes it, before neighbours are resolved and data-thread
// tables are updated.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "fingerpost/net/any.hpp"

namespace fingerpost::router {

// The handling of a packet. `local` passes it to the router itself. The last three drop it, and all except
// blackhole inform the sender.
enum class action : std::uint8_t { forward, local, blackhole, unreachable, prohibit };

// One exit. Without a gateway the destination is a neighbour on the link. The gateway may be of the other
// family: IPv4 routes with IPv6 gateways are common (RFC 8950).
struct path {
    std::optional<any_address> gateway{};
    std::uint32_t interface = 0; // the kernel's number of the interface; 0: any that reaches the gateway
    std::uint16_t weight = 1;    // 1 to 256; the path's share of a destination's flows

    friend auto operator<=>(const path&, const path&) = default;
};

// `forward` has one or more paths; the others have none.
struct destination {
    action what = action::forward;
    std::vector<path> paths{};

    friend auto operator<=>(const destination&, const destination&) = default;
};

// A destination that many routes share, and that changes for all of them together: a next-hop object of the
// kernel, or a next-hop group of zebra.
struct group_id {
    std::uint32_t id = 0;
    // Number that the sink gives to the source of the group: a new source may reuse the group numbers of a
    // former one, whose routes are still in use. Sources leave it 0.
    std::uint32_t source = 0;

    friend auto operator<=>(group_id, group_id) = default;
};

using route_target = std::variant<destination, group_id>;

} // namespace fingerpost::router
