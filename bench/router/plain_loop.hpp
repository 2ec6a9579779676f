// What DPDK's example l3fwd does with a packet, and nothing more: read the destination, look up a burst of
// them, count the hop, write two MAC addresses, send. It checks no header, counts nothing, and its table
// stands still.
//
// With DPDK's own table it is what the router is compared with; with a scheme of the registry it tells how
// much of a difference is the table's.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "bench/router/circuit.hpp"
#include "bench/router/router_competitor.hpp"
#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::bench {

// `rte_fib6`, of IPv4 `rte_fib`: the fastest lookup that they have on this machine. The error is a sentence.
template <class A>
expected<std::unique_ptr<router_competitor>, std::string>
make_dpdk_loop(circuit& on, std::span<const route<A>> sorted, std::uint32_t gateways, unsigned burst);
template <class A>
expected<std::unique_ptr<router_competitor>, std::string>
make_scheme_loop(circuit& on, std::span<const route<A>> sorted, std::uint32_t gateways,
                 const scheme_entry<A>& scheme, unsigned burst);

} // namespace fingerpost::bench
