// What the router's benchmark measures: something that takes packets from the circuit and sends them on, on
// cores of its own, until it is stopped.
#pragma once

#include <cstddef>

namespace fingerpost::bench {

class contestant {
  public:
    virtual ~contestant() = default;
    contestant(const contestant&) = delete;
    contestant& operator=(const contestant&) = delete;

    // By the main thread. start() returns false when a core is taken.
    virtual bool start() noexcept = 0;
    virtual void stop() noexcept = 0;
    // The bytes of what lookups read.
    virtual std::size_t memory_bytes() const noexcept = 0;

  protected:
    contestant() = default;
};

} // namespace fingerpost::bench
