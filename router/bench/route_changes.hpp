// Changes routes of a running data plane: single changes at a given rate, or the whole table repeatedly.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "router/bench/routed.hpp"

namespace fingerpost::bench {

struct change_counts {
    std::uint64_t changes = 0; // number of changed routes
    std::uint64_t tables = 0;  // number of complete replacements
    double seconds = 0;
};

// The routes must be in the data plane, and must outlive this object.
template <class A>
class route_changes {
  public:
    route_changes(router::forwarding& tables, std::span<const route<A>> routes, std::uint32_t gateways,
                  std::uint64_t seed)
        : tables_(&tables), routes_(routes), gateways_(gateways), withdrawn_(routes.size()), random_(seed) {}

    // Makes `rate` changes per second for this long, in bursts of `burst`. Three of four changes give a route
    // another gateway; the fourth withdraws a route until it is selected again. A late burst follows
    // immediately.
    change_counts change(std::chrono::nanoseconds time, double rate, unsigned burst);
    // Announces the whole table repeatedly for this long, until the last replacement is complete. Each time,
    // every route gets another gateway, as from a source that returns, and all of them become visible
    // together.
    change_counts replace(std::chrono::nanoseconds time);
    // Restores the original routes, and waits at most 5 seconds until data threads see them.
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
