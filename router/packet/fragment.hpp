// Fragments IPv4 packets that are longer than the MTU of their exit (RFC 791 3.2), with DPDK.
//
// A packet that was a fragment before keeps its place in the original packet. Options marked for copying are
// in all fragments, the others only in the first. In the other fragments Linux fills their place with
// no-operations; DPDK shortens the header, which RFC 791 allows as well.
#pragma once

#include <cstdint>
#include <span>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "fingerpost/base/expected.hpp"
#include "router/packet/drop_reason.hpp"

namespace fingerpost::router {

// A packet of 9,000 bytes is cut into this many for the smallest MTU in use, 576.
inline constexpr std::uint16_t most_fragments = 17;

// Whether a packet may be fragmented: it is IPv4 without the flag "don't fragment".
bool may_fragment(const rte_mbuf& packet) noexcept;

// Cuts a packet and returns the number of fragments. Each fragment has the packet's notes, a copy of its
// Ethernet header and a checksum, so that it can continue as the packet would have. A packet in one segment
// gives fragments in one segment, which every driver can send; a segmented packet gives fragments that refer
// to its data. The packet stays the caller's, which may free it at any time.
//
// Fails with too_big if fragmenting is not allowed, would give more fragments than `into` holds, or would put
// a part behind the 65,535 bytes of the longest datagram; and with no_memory.
expected<unsigned, drop_reason> fragment(rte_mbuf& packet, std::uint16_t mtu, std::span<rte_mbuf*> into,
                                         rte_mempool& pool) noexcept;

} // namespace fingerpost::router
