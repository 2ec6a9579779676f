// An object that the control thread replaces as a whole and data threads read.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "router/forward/reclaim.hpp"

namespace fingerpost::router {

// The current object. It is never modified, and is freed a grace period after its replacement.
template <class T>
class newest {
  public:
    explicit newest(reclaimer& old) : old_(&old), held_(new T) {}
    ~newest() { delete held_.load(std::memory_order_relaxed); }
    newest(const newest&) = delete;
    newest& operator=(const newest&) = delete;

    const T& get() const noexcept { return *held_.load(std::memory_order_acquire); }
    // For the control thread. Throws std::bad_alloc.
    void publish(T next) {
        auto replacement = std::make_unique<const T>(std::move(next));
        const T* const before = held_.load(std::memory_order_relaxed);
        old_->later([before] { delete before; });
        held_.store(replacement.release(), std::memory_order_release);
    }

  private:
    reclaimer* old_;
    std::atomic<const T*> held_;
};

} // namespace fingerpost::router
