// The router's data plane as a competitor, with the routes of a table.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "fingerpost/net/route.hpp"
#include "router/bench/circuit.hpp"
#include "router/bench/router_competitor.hpp"
#include "router/threads/engine.hpp"

namespace fingerpost::bench {

// How the stages share cores: as in `mode`, with one thread for each stage. `in_turn`: all threads on one
// core, one round after another, if there are fewer cores than threads.
struct arrangement {
    router::run_mode mode = router::run_mode::complete;
    bool in_turn = false;

    unsigned cores() const noexcept {
        using enum router::run_mode;
        return in_turn ? 1 : mode == complete ? 1 : mode == fused ? 2 : 3;
    }
};

// The name of a scheme in the registry, or the entry of a scheme outside it.
template <class A>
struct scheme_of_router {
    std::string name{};
    const scheme_entry<A>* entry = nullptr;
};

class routed : public router_competitor {
  public:
    // The tables that a router's control thread changes. While the data plane runs, only for the thread that
    // started it.
    virtual router::forwarding& tables() noexcept = 0;
};

// `routes` are sorted and have gateway numbers as next hops. The data threads run on lcores 1 and following,
// the host thread on `host_lcore`. The error is a sentence.
template <class A>
expected<std::unique_ptr<routed>, std::string>
make_routed(circuit& on, std::span<const route<A>> routes, std::uint32_t gateways, const arrangement& how,
            const scheme_of_router<A>& scheme, unsigned burst, unsigned host_lcore);

// The destination of a route in the benchmark.
template <class A>
router::destination way_to(std::uint32_t gateway) {
    return {router::action::forward, {{gateway_address(gateway, A{}), 10 + (gateway & 1), 1}}};
}

// A scheme that always returns the next hop of the /0: a router without lookups.
template <class A>
const scheme_entry<A>& fixed_scheme() noexcept;

} // namespace fingerpost::bench
