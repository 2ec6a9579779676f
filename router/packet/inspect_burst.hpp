// The checks of inspect.hpp for a whole burst, with a fast path for most packets: complete in one segment,
// for the router's MAC address, without options, between ordinary addresses. All others go through inspect();
// both paths give the same result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rte_mbuf.h>

#include "router/packet/inspect.hpp"

namespace fingerpost::router {

inline constexpr std::size_t most_in_burst = 64;

// The packets of a burst by result, each kind in the order of arrival.
struct sorted_burst {
    std::uint32_t forward_count = 0;
    std::uint32_t host_count = 0;
    std::uint32_t drop_count = 0;
    std::array<rte_mbuf*, most_in_burst> forward; // is_ipv4() and is_ipv6() tell the family
    std::array<rte_mbuf*, most_in_burst> host;
    std::array<rte_mbuf*, most_in_burst> dropped;   // the caller must count and free these
    std::array<drop_reason, most_in_burst> reasons; // of `dropped`
};

// Replaces what is in `into`. The burst has at most most_in_burst packets.
void inspect_burst(std::span<rte_mbuf* const> burst, const ingress& port, sorted_burst& into) noexcept;

} // namespace fingerpost::router
