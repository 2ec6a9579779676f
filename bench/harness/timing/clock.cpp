// Calibrates the time-stamp counter with the system clock.
#include "bench/harness/timing/clock.hpp"

#include <algorithm>
#include <array>

namespace fingerpost::bench {

double measure_tsc_hz() {
    constexpr double one_try = 0.01;
    std::array<double, 5> tries{};
    for (double& hz : tries) {
        const instant start = instant::now();
        instant end = start;
        while (seconds_between(start, end) < one_try)
            end = instant::now();
        hz = static_cast<double>(end.cycles - start.cycles) / seconds_between(start, end);
    }
    // An interruption between the two readings spoils one attempt, but not the median.
    std::sort(tries.begin(), tries.end());
    return tries[tries.size() / 2];
}

} // namespace fingerpost::bench
