// A loop that only does what DPDK's example l3fwd does: it reads the destinations of a burst, looks them up,
// decrements the hop count, writes two MAC addresses, and sends. It checks no header, counts nothing, and its
// table does not change.
//
// With DPDK's own table it is the reference for the router. With a scheme of the registry it shows how much
// of a difference is due to the table.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/net/route.hpp"
#include "router/bench/circuit.hpp"
#include "router/bench/router_competitor.hpp"

namespace fingerpost::bench {

// With `rte_fib6`, or `rte_fib` for IPv4, and the fastest lookup function that it has on this machine. The
// error is a sentence.
template <class A>
expected<std::unique_ptr<router_competitor>, std::string>
make_dpdk_loop(circuit& on, std::span<const route<A>> sorted, std::uint32_t gateways, unsigned burst);
template <class A>
expected<std::unique_ptr<router_competitor>, std::string>
make_scheme_loop(circuit& on, std::span<const route<A>> sorted, std::uint32_t gateways,
                 const scheme_entry<A>& scheme, unsigned burst);

} // namespace fingerpost::bench
