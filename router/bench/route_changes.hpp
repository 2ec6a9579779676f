// Changes routes under a running data plane: single changes at a given rate, or the whole table again and
// again.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "router/bench/routed.hpp"

namespace fingerpost::bench {

struct change_counts {
    std::uint64_t changes = 0; // of single routes
    std::uint64_t tables = 0;  // replaced as a whole
    double seconds = 0;
};

// The routes must be in the data plane, and must outlive this object.
template <class A>
class route_changes {
  public:
    route_changes(router::forwarding& tables, std::span<const route<A>> routes, std::uint32_t gateways,
                  std::uint64_t seed)
        : tables_(&tables), routes_(routes), gateways_(gateways), withdrawn_(routes.size()), random_(seed) {}

    // Makes `rate` changes a second for this long, in bursts of `burst`: of four changes, three give a route
    // another gateway, and one withdraws a route until its turn comes again. A late burst follows at once.
    change_counts change(std::chrono::nanoseconds time, double rate, unsigned burst);
    // Announces the whole table anew for this long, and until the last replacement is complete: each route
    // gets another gateway, as from a source that was away, and then all is made visible at once.
    change_counts replace(std::chrono::nanoseconds time);
    // Restores the original routes, and waits until data threads see them, 5 seconds at most.
    void restore();

  private:
    using clock = std::chrono::steady_clock;
    void change_one();
    void replace_one(std::uint32_t turn);

    router::forwarding* tables_;
    std::span<const route<A>> routes_;
    std::uint32_t gateways_;
    std::vector<bool> withdrawn_;
    std::mt19937_64 random_;
    std::uint32_t turns_ = 0;
};

} // namespace fingerpost::bench
