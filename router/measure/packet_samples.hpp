// The destinations of a few packets, drawn at random by a data thread and passed to the control thread, which
// finds out their prefixes.
//
// One packet in N is drawn, after a uniformly random number of others from 0 to 2 (N - 1), so that no pattern
// of the traffic is drawn more or less often than it should be. A thread that draws none counts packets down,
// once for each burst.
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
    // To be called before the thread starts. 0: no packet is drawn.
    void draw_one_in(unsigned packets) noexcept {
        one_in_ = packets;
        left_ = packets == 0 ? std::numeric_limits<std::uint64_t>::max() : distance();
    }

    // For each burst, by the data thread; `sample_of(i)` is that of packet i.
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

    // Calls use(sample) for each sample since the last call; by the control thread.
    template <class F>
    void take(F use) {
        std::uint64_t first = first_.load(std::memory_order_relaxed);
        const std::uint64_t end = end_.load(std::memory_order_acquire);
        for (; first != end; ++first)
            use(waiting_[first % waiting_.size()]);
        first_.store(first, std::memory_order_release);
    }
    // Samples that were drawn while the control thread had not taken enough of the earlier ones.
    std::uint64_t lost() const noexcept { return lost_.get(); }

  private:
    std::uint64_t distance() const noexcept { return 1 + rte_rand_max(2 * std::uint64_t{one_in_} - 1); }
    void push(const packet_sample& one) noexcept {
        const std::uint64_t end = end_.load(std::memory_order_relaxed);
        if (end - first_.load(std::memory_order_acquire) == waiting_.size()) {
            lost_.add(1);
            return;
        }
        waiting_[end % waiting_.size()] = one;
        end_.store(end + 1, std::memory_order_release);
    }

    // Of the data thread.
    std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max(); // packets to the next sample, with it
    unsigned one_in_ = 0;
    counter lost_;
    std::atomic<std::uint64_t> end_{0};
    // Of the control thread.
    alignas(cache_line_bytes) std::atomic<std::uint64_t> first_{0};
    alignas(cache_line_bytes) std::array<packet_sample, 1024> waiting_;
};

} // namespace fingerpost::router
