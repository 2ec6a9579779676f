// The checks of inspect.hpp for a whole burst, with a short way for what most packets are: whole in one
// segment, for the router's MAC, without options, between ordinary addresses. Everything else goes through
// inspect(), and the outcome is the same on both ways.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rte_mbuf.h>

#include "router/packet/inspect.hpp"

namespace fingerpost::router {

inline constexpr std::size_t most_in_burst = 64;

// The packets of a burst by what becomes of them, each kind in the order in which they came.
struct sorted_burst {
    std::uint32_t forward_count = 0;
    std::uint32_t host_count = 0;
    std::uint32_t drop_count = 0;
    std::array<rte_mbuf*, most_in_burst> forward; // is_ipv4() and is_ipv6() tell the family
    std::array<rte_mbuf*, most_in_burst> host;
    std::array<rte_mbuf*, most_in_burst> dropped;   // to be counted and freed by the caller
    std::array<drop_reason, most_in_burst> reasons; // of `dropped`
};

// Replaces what is in `into`. The burst has up to most_in_burst packets.
void inspect_burst(std::span<rte_mbuf* const> burst, const ingress& port, sorted_burst& into) noexcept;

} // namespace fingerpost::router
