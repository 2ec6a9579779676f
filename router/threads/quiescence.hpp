// Detects when no thread can hold an unlinked object any more. It uses DPDK's quiescent-state RCU for the
// threads, and marks in the rings for the packets that travel between them.
//
// A packet carries the number of its next hop from the thread that looks it up to the thread that sends it,
// so one round of quiescent states is not enough:
//
//   1  every thread has passed a quiescent state      no thread can look up the object
//   2  every ring has been drained up to its mark     no packet in a ring refers to it
//   3  every thread has passed another quiescent state  no burst in a thread refers to it
//
// Packets that wait for a neighbour are looked up again when they continue, so they hold nothing.
#pragma once

#include <cstdint>
#include <vector>

#include <rte_rcu_qsbr.h>
#include <rte_ring.h>

#include "fingerpost/base/expected.hpp"
#include "router/forward/reclaim.hpp"

namespace fingerpost::router {

class quiescence final : public grace_clock {
  public:
    // For up to `threads` data threads. Throws std::bad_alloc.
    explicit quiescence(unsigned threads);
    ~quiescence() override;
    quiescence(const quiescence&) = delete;
    quiescence& operator=(const quiescence&) = delete;

    // To be called before the threads start, for every ring between them.
    void watch(const rte_ring* ring) { rings_.push_back({ring, 0}); }

    // Continues with the threads and rings of `fresh`, which must be unused. No thread may run and all rings
    // must be empty; all grace periods then end.
    void take_over(quiescence& fresh) noexcept;

    // Called by thread `id` itself: before its first round, after each round, and after its last. A sleeping
    // thread is not waited for, and must hold nothing.
    void enter(unsigned id) noexcept;
    void pass(unsigned id) noexcept { rte_rcu_qsbr_quiescent(state_, id); }
    void leave(unsigned id) noexcept;
    void sleep(unsigned id) noexcept { rte_rcu_qsbr_thread_offline(state_, id); }
    void wake(unsigned id) noexcept { rte_rcu_qsbr_thread_online(state_, id); }

    std::uint64_t begin() override;
    bool is_over(std::uint64_t period) override;

  private:
    enum class step : std::uint8_t { looking_up, in_rings, in_hands, done };
    struct watched {
        const rte_ring* ring;
        std::uint32_t mark;
    };
    bool is_drained() const noexcept;

    rte_rcu_qsbr* state_;
    std::vector<watched> rings_;
    std::uint64_t period_ = 0;
    std::uint64_t token_ = 0;
    step now_ = step::done;
};

} // namespace fingerpost::router
