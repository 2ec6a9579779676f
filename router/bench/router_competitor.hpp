// What the router's benchmark measures: a competitor takes packets from the circuit and sends them on, on
// cores of its own, until it is stopped.
#pragma once

#include <cstddef>

namespace fingerpost::bench {

class router_competitor {
  public:
    virtual ~router_competitor() = default;
    router_competitor(const router_competitor&) = delete;
    router_competitor& operator=(const router_competitor&) = delete;

    // Called by the main thread. start() returns false if a core is taken.
    virtual bool start() noexcept = 0;
    virtual void stop() noexcept = 0;
    // The bytes that lookups read.
    virtual std::size_t memory_bytes() const noexcept = 0;

  protected:
    router_competitor() = default;
};

} // namespace fingerpost::bench
