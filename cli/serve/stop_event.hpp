// Signals all threads that wait for descriptors to end.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/eventfd.h>
#include <unistd.h>

#include "system/unique_fd.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {

class stop_event {
  public:
    stop_event() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (!event_)
            throw failure(std::string("eventfd: ") + std::strerror(errno));
    }

    // Readable permanently after set().
    int descriptor() const noexcept { return event_.get(); }
    bool is_set() const noexcept { return set_.load(std::memory_order_acquire); }
    void set() noexcept {
        set_.store(true, std::memory_order_release);
        const std::uint64_t increment = 1;
        // The first write to an eventfd always succeeds.
        [[maybe_unused]] const auto written = ::write(event_.get(), &increment, sizeof increment);
    }

  private:
    system::unique_fd event_;
    std::atomic<bool> set_ = false;
};

} // namespace fingerpost::cli
