// Destinations of a random sample of packets, passed by a data thread to the control thread, which finds
// their prefixes.
//
// One packet in N is sampled, after a uniformly random number of others from 0 to 2 (N - 1), so that regular
// traffic patterns do not bias the sample. When sampling is off, a thread only subtracts the size of each
// burst from a counter.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <rte_branch_prediction.h>
#include <rte_random.h>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/net/any.hpp"
#include "router/measure/counter.hpp"

namespace fingerpost::router {

struct packet_sample {
    any_address to{};
    std::uint16_t vrf = 0; // in which it was looked up
};

class packet_samples {
  public:
    // To be called before the thread starts. 0: no packets are sampled.
    void draw_one_in(unsigned packets) noexcept {
        one_in_ = packets;
        left_ = packets == 0 ? std::numeric_limits<std::uint64_t>::max() : distance();
    }

    // Called by the data thread for each burst. `sample_of(i)` returns the sample of packet i.
    template <class F>
    void pass(std::size_t packets, F sample_of) noexcept {
        if (likely(left_ > packets)) {
            left_ -= packets;
            return;
        }
        std::uint64_t at = left_;
        for (; at <= packets; at += distance())
            push(sample_of(static_cast<std::size_t>(at - 1)));
        left_ = at - packets;
    }

    // Called by the control thread. Calls use(sample) for each sample since the last call.
    template <class F>
    void take(F use) {
        std::uint64_t first = first_.load(std::memory_order_relaxed);
        const std::uint64_t end = end_.load(std::memory_order_acquire);
        for (; first != end; ++first)
            use(waiting_[first % waiting_.size()]);
        first_.store(first, std::memory_order_release);
    }
    // Number of samples discarded because the control thread had not taken enough of the earlier ones.
    std::uint64_t lost() const noexcept { return lost_.get(); }

  private:
    std::uint64_t distance() const noexcept { return 1 + rte_rand_max(2 * std::uint64_t{one_in_} - 1); }
    void push(const packet_sample& sample) noexcept {
        const std::uint64_t end = end_.load(std::memory_order_relaxed);
        if (end - first_.load(std::memory_order_acquire) == waiting_.size()) {
            lost_.add(1);
            return;
        }
        waiting_[end % waiting_.size()] = sample;
        end_.store(end + 1, std::memory_order_release);
    }

    // Used by the data thread.
    std::uint64_t left_ =
        std::numeric_limits<std::uint64_t>::max(); // packets up to and including the next sample
    unsigned one_in_ = 0;
    counter lost_;
    std::atomic<std::uint64_t> end_{0};
    // Used by the control thread.
    alignas(cache_line_bytes) std::atomic<std::uint64_t> first_{0};
    alignas(cache_line_bytes) std::array<packet_sample, 1024> waiting_;
};

} // namespace fingerpost::router
