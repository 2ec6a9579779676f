// Runs work on one or more pinned cores at the same time, and times it.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace fingerpost::bench {

// The CPUs that this process may use, in descending order, because the first ones often serve interrupts.
std::vector<unsigned> usable_cpus();

// Pins the calling thread to one CPU. Returns false if the system refuses.
bool pin_to(unsigned cpu) noexcept;
// Pins the calling thread to these CPUs.
bool keep_to(std::span<const unsigned> cpus) noexcept;

struct pass_time {
    double seconds = 0; // from the first start to the last end
    double cycles = 0;  // ticks of the time-stamp counter, mean of the threads
};

// Calls prepare(i) and, when all threads are ready, work(i) for thread i on cpus[i]. Only work() is timed.
// For one CPU, the calling thread runs it, which must be pinned.
pass_time run_together(std::span<const unsigned> cpus, const std::function<void(std::size_t)>& prepare,
                       const std::function<void(std::size_t)>& work);

} // namespace fingerpost::bench
