// A competitor of the router's benchmark. It receives packets from the circuit and forwards them on its own
// cores until it is stopped.
#pragma once

#include <cstddef>

namespace fingerpost::bench {

class router_competitor {
  public:
    virtual ~router_competitor() = default;
    router_competitor(const router_competitor&) = delete;
    router_competitor& operator=(const router_competitor&) = delete;

    // Called by the main thread. start() returns false if a core is busy.
    virtual bool start() noexcept = 0;
    virtual void stop() noexcept = 0;
    // Bytes of the structures that lookups read.
    virtual std::size_t memory_bytes() const noexcept = 0;

  protected:
    router_competitor() = default;
};

} // namespace fingerpost::bench
