// What the router's benchmark measures: a competitor takes packets from the circuit and sends them on, on
// cores of its own, until it is stopped.
#pragma once

#include <cstddef>

namespace fingerpost::bench {

class contestant {
  public:
    virtual ~contestant() = default;
    contestant(const contestant&) = delete;
    contestant& operator=(const contestant&) = delete;

    // Called by the main thread. start() returns false if a core is taken.
    virtual bool start() noexcept = 0;
    virtual void stop() noexcept = 0;
    // The bytes that lookups read.
    virtual std::size_t memory_bytes() const noexcept = 0;

  protected:
    contestant() = default;
};

} // namespace fingerpost::bench
