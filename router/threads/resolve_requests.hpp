// Requests of the host thread to resolve neighbours, passed to the control thread, which asks the kernel.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "router/forward/interfaces.hpp"

namespace fingerpost::router {

class resolve_requests {
  public:
    // For the host thread. If more than `most` requests wait, new ones are dropped and made again later.
    void add(const neighbour_key& key) {
        const std::lock_guard guard(lock_);
        if (waiting_.size() < most)
            waiting_.push_back(key);
    }
    // For the control thread, which calls it regularly.
    std::vector<neighbour_key> take() {
        const std::lock_guard guard(lock_);
        return std::exchange(waiting_, {});
    }

  private:
    static constexpr std::size_t most = 4096;

    std::mutex lock_;
    std::vector<neighbour_key> waiting_;
};

} // namespace fingerpost::router
