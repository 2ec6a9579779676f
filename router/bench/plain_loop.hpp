// Does only what DPDK's example l3fwd does with a packet: reads the destination, looks up a burst of them,
// counts the hop, writes two MAC addresses, sends. It checks no header, counts nothing, and its table does
// not change.
//
// With DPDK's own table the router is compared with it; with a scheme of the registry it shows how much of a
// difference comes from the table.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/net/route.hpp"
#include "router/bench/circuit.hpp"
#include "router/bench/router_competitor.hpp"

namespace fingerpost::bench {

// `rte_fib6`, for IPv4 `rte_fib`, with the fastest lookup that they have on this machine. The error is a
// sentence.
template <class A>
expected<std::unique_ptr<router_competitor>, std::string>
make_dpdk_loop(circuit& on, std::span<const route<A>> sorted, std::uint32_t gateways, unsigned burst);
template <class A>
expected<std::unique_ptr<router_competitor>, std::string>
make_scheme_loop(circuit& on, std::span<const route<A>> sorted, std::uint32_t gateways,
                 const scheme_entry<A>& scheme, unsigned burst);

} // namespace fingerpost::bench
