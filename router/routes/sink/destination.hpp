// Where a route leads, as its source describes it: before neighbours are resolved and before any of it is in
// the data threads' tables.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "fingerpost/net/any.hpp"

namespace fingerpost::router {

// What happens to a packet. `local` is for the router itself; the last three drop it, and all except
// blackhole tell the sender.
enum class action : std::uint8_t { forward, local, blackhole, unreachable, prohibit };

// One exit. Without a gateway the destination is a neighbour on the link. The gateway may be of the other
// family: IPv4 routes with IPv6 gateways are common (RFC 8950).
struct path {
    std::optional<any_address> gateway{};
    std::uint32_t interface = 0; // the kernel's number of the interface; 0: whichever reaches the gateway
    std::uint16_t weight = 1;    // 1 to 256; the share of flows among the paths of a destination

    friend auto operator<=>(const path&, const path&) = default;
};

// `forward` has one or more paths; the others have none.
struct destination {
    action what = action::forward;
    std::vector<path> paths{};

    friend auto operator<=>(const destination&, const destination&) = default;
};

// A destination that many routes share and that changes for all of them at once: a next-hop object of the
// kernel, or a next-hop group of zebra.
struct group_id {
    std::uint32_t id = 0;
    // Which source of routes it belongs to, as the sink counts them: a new source may use the numbers of the
    // one before, whose routes are still followed. Sources leave it 0.
    std::uint32_t source = 0;

    friend auto operator<=>(group_id, group_id) = default;
};

using route_target = std::variant<destination, group_id>;

} // namespace fingerpost::router
