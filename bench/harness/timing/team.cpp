// Pins threads, starts them together and times them.
#include "bench/harness/timing/team.hpp"

#include <algorithm>
#include <atomic>
#include <sched.h>
#include <thread>

#include "bench/harness/timing/clock.hpp"

namespace fingerpost::bench {
namespace {

struct stint {
    instant start;
    instant end;
};

pass_time summary_of(std::span<const stint> stints) {
    instant first = stints.front().start;
    instant last = stints.front().end;
    double cycles = 0;
    for (const stint& s : stints) {
        if (s.start.time < first.time)
            first = s.start;
        if (s.end.time > last.time)
            last = s.end;
        cycles += static_cast<double>(s.end.cycles - s.start.cycles);
    }
    return {seconds_between(first, last), cycles / static_cast<double>(stints.size())};
}

} // namespace

std::vector<unsigned> usable_cpus() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    std::vector<unsigned> cpus;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return {0};
    for (unsigned cpu = CPU_SETSIZE; cpu-- > 0;)
        if (CPU_ISSET(cpu, &allowed))
            cpus.push_back(cpu);
    return cpus;
}

bool pin_to(unsigned cpu) noexcept {
    return keep_to({&cpu, 1});
}
bool keep_to(std::span<const unsigned> cpus) noexcept {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (const unsigned cpu : cpus)
        CPU_SET(cpu, &allowed);
    return sched_setaffinity(0, sizeof allowed, &allowed) == 0;
}

pass_time run_together(std::span<const unsigned> cpus, const std::function<void(std::size_t)>& prepare,
                       const std::function<void(std::size_t)>& work) {
    std::vector<stint> stints(cpus.size());
    if (cpus.size() == 1) {
        prepare(0);
        stints[0].start = instant::now();
        work(0);
        stints[0].end = instant::now();
        return summary_of(stints);
    }
    std::atomic<std::size_t> missing{cpus.size()};
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < cpus.size(); ++i)
        threads.emplace_back([&, i] {
            pin_to(cpus[i]);
            prepare(i);
            // Spins, because waking up would take longer than the start times may differ.
            missing.fetch_sub(1);
            while (missing.load() != 0)
                std::this_thread::yield();
            stints[i].start = instant::now();
            work(i);
            stints[i].end = instant::now();
        });
    threads.clear();
    return summary_of(stints);
}

} // namespace fingerpost::bench
