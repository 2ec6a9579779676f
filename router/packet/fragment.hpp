// Fragments of IPv4 packets that are longer than the MTU of their way out (RFC 791 3.2), by DPDK.
//
// What was a fragment before stays at its place in the original packet. Options that say so are in all
// fragments, the others in the first only. Linux keeps the place of the latter filled with no-operations;
// DPDK closes up the header, which RFC 791 allows as well.
#pragma once

#include <cstdint>
#include <span>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "fingerpost/base/expected.hpp"
#include "router/packet/drop_reason.hpp"

namespace fingerpost::router {

// As many as a packet of 9,000 bytes is cut into for the smallest MTU that is in use, 576.
inline constexpr std::uint16_t most_fragments = 17;

// Whether a packet allows it: one of IPv4 without the flag "don't fragment".
bool may_fragment(const rte_mbuf& packet) noexcept;

// Cuts a packet and says into how many. Each fragment has the packet's notes, a copy of its Ethernet header
// and a checksum, so that it can go on as the packet would have. A packet in one segment gives fragments in
// one segment, which every driver can send; a segmented one gives fragments that refer to its data. The
// packet stays the caller's, to be freed at any time.
//
// Fails with too_big where fragmenting is not allowed, gives more than `into` holds, or would put a part
// behind the 65,535 bytes of the longest datagram; and with no_memory.
expected<unsigned, drop_reason> fragment(rte_mbuf& packet, std::uint16_t mtu, std::span<rte_mbuf*> into,
                                         rte_mempool& pool) noexcept;

} // namespace fingerpost::router
