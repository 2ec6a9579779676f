// Fragments IPv4 packets that exceed the MTU of their exit (RFC 791 3.2), with DPDK.
//
// A packet that was already a fragment keeps its place in the original packet. Options marked for copying are
// in all fragments, the others only in the first. For the later fragments Linux replaces them with
// no-operations; DPDK shortens the header, which RFC 791 also allows.
#pragma once

#include <cstdint>
#include <span>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "fingerpost/base/expected.hpp"
#include "router/packet/drop_reason.hpp"

namespace fingerpost::router {

// Number of fragments of a 9,000-byte packet at the smallest MTU in use, 576.
inline constexpr std::uint16_t most_fragments = 17;

// True if a packet may be fragmented: it is IPv4 without the flag "don't fragment".
bool may_fragment(const rte_mbuf& packet) noexcept;

// Fragments a packet and returns the number of fragments. Each fragment has the packet's notes, a copy of its
// Ethernet header and a checksum, so that it can continue like the packet. A packet in one segment gives
// fragments in one segment, which every driver can send; a segmented packet gives fragments that refer to its
// data. The packet remains the caller's, which may free it at any time.
//
// Fails with too_big if fragmentation is not allowed, would exceed the size of `into`, or would reach beyond
// the 65,535 bytes of the longest datagram. Fails with no_memory if no buffer is free.
expected<unsigned, drop_reason> fragment(rte_mbuf& packet, std::uint16_t mtu, std::span<rte_mbuf*> into,
                                         rte_mempool& pool) noexcept;

} // namespace fingerpost::router
