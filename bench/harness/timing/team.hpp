// Runs one piece of work on one or more pinned cores at the same time, and times it.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace fingerpost::bench {

// The CPUs that this process may use, the last one first: the first ones often serve interrupts.
std::vector<unsigned> usable_cpus();

// Keeps the calling thread on one CPU; false if the system refuses.
bool pin_to(unsigned cpu) noexcept;
// Keeps it on these CPUs.
bool keep_to(std::span<const unsigned> cpus) noexcept;

struct pass_time {
    double seconds = 0; // from the first start to the last end
    double cycles = 0;  // of the time-stamp counter, mean of the threads
};

// Calls prepare(i) and then, when all are ready, work(i) for thread i on cpus[i]; only work is timed. With
// one CPU, the calling thread, which must be pinned, does it.
pass_time run_together(std::span<const unsigned> cpus, const std::function<void(std::size_t)>& prepare,
                       const std::function<void(std::size_t)>& work);

} // namespace fingerpost::bench
