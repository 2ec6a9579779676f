// A counter that one thread increments and other threads read concurrently.
#pragma once

#include <atomic>
#include <cstdint>

namespace fingerpost::router {

// One thread adds, any thread reads.
class counter {
  public:
    void add(std::uint64_t n) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

} // namespace fingerpost::router
