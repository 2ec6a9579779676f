// The checks of inspect.hpp for a whole burst. Most frames are in one segment, for the router's MAC address,
// without options and between ordinary addresses. Such frames are checked in groups while they are untagged
// and of one family (plain_group.hpp), or else one by one. All others go through inspect(). The result is
// always the same, except that only inspect() notes the flow hash: see note_flow().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rte_mbuf.h>

#include "router/packet/burst_headers.hpp"
#include "router/packet/inspect.hpp"

namespace fingerpost::router {

// The packets of a burst by result, each list in order of arrival.
struct sorted_burst {
    std::uint32_t forward_count = 0;
    std::uint32_t host_count = 0;
    std::uint32_t drop_count = 0;
    std::array<rte_mbuf*, most_in_burst> forward; // is_ipv4() and is_ipv6() return the family
    std::array<rte_mbuf*, most_in_burst> host;
    std::array<rte_mbuf*, most_in_burst> dropped;   // to be counted and freed by the caller
    std::array<drop_reason, most_in_burst> reasons; // of `dropped`
    burst_headers headers;                          // of `forward`
};

// Replaces the contents of `into`. The burst has at most most_in_burst packets.
void inspect_burst(std::span<rte_mbuf* const> burst, const ingress& port, sorted_burst& into) noexcept;

} // namespace fingerpost::router
