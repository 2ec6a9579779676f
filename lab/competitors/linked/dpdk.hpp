// DPDK's lookup libraries as competitors: rte_fib for IPv4, rte_fib6 and rte_lpm6 for IPv6.
//
// Each lookup function is a competitor of its own, with its own table. The comparison is fair in these ways:
//
// - Tables lie in huge pages, as ours do and as a DPDK application's do.
// - They are sized by the routes, since DPDK's users must say how many groups of 256 entries to reserve. An
//   entry takes the fewest bytes that the ids and the groups allow.
// - A /0 is the default next hop, which is how DPDK has it: rte_lpm6 takes no /0 at all.
// - `memory_bytes` is the first table and the groups in use; what is reserved beyond them and the RIB that
//   DPDK keeps beside are left out.
// - rte_fib reads our addresses as they are. The other two want network order, so each call turns its
//   addresses round first, one byte shuffle each. All return wider answers than ours or a miss of their own,
//   which one pass over the batch turns into next hops. Both are part of the call and are timed.
#pragma once

#include <vector>

#include "lab/competitors/linked/competitors.hpp"

namespace fingerpost::bench {

// DPDK starts when the first of them is built. If it does not start or the processor lacks AVX-512, building
// fails with errc::unsupported.
template <class A>
std::vector<competitor<A>> dpdk_competitors();
template <>
std::vector<competitor<ipv4_address>> dpdk_competitors();
template <>
std::vector<competitor<ipv6_address>> dpdk_competitors();

} // namespace fingerpost::bench
