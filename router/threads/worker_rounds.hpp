// The loop of every data-plane thread: it runs rounds until it is stopped, passes a quiescent state after
// each, and sleeps briefly after a number of rounds without work.
#pragma once

#include <atomic>
#include <cstdint>

#include <time.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "router/threads/counters.hpp"
#include "router/threads/quiescence.hpp"

namespace fingerpost::router {

struct idle_habit {
    bool sleeps = false;
    unsigned rounds_before_nap = 0; // without a packet
    timespec
        nap{}; // long enough to leave the core to others, short compared to the delay that a packet tolerates
};

// `round` returns the number of packets that it handled. `id` is the thread's number in `grace`.
template <class Round>
void run_rounds(const std::atomic<bool>& stop, quiescence& grace, unsigned id, thread_counters& counts,
                const idle_habit& habit, Round round) noexcept {
    grace.enter(id);
    unsigned idle = 0;
    while (!stop.load(std::memory_order_relaxed)) {
        const std::uint64_t start = rte_rdtsc();
        const std::size_t count = round();
        const std::uint64_t cycles = rte_rdtsc() - start;
        counts.rounds.add(1);
        counts.cycles.add(cycles);
        grace.pass(id);
        if (count != 0) {
            counts.busy_cycles.add(cycles);
            idle = 0;
            continue;
        }
        counts.idle_rounds.add(1);
        if (!habit.sleeps || ++idle <= habit.rounds_before_nap) {
            rte_pause();
            continue;
        }
        grace.sleep(id);
        nanosleep(&habit.nap, nullptr);
        grace.wake(id);
    }
    grace.leave(id);
}

} // namespace fingerpost::router
