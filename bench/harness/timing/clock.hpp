// The two clocks of a measurement: the system's seconds, and cycles of the processor's time-stamp counter.
#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace fingerpost::bench {

// The time-stamp counter has a constant rate on all cores, which is not the current frequency of the core.
// The fences keep the timed work between two readings. rdtscp is not used, because not every emulated CPU has
// it.
inline std::uint64_t read_cycles() noexcept {
#if defined(__x86_64__)
    _mm_lfence();
    const std::uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
#elif defined(__aarch64__)
    std::uint64_t now = 0;
    asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now)::"memory");
    return now;
#else
    return 0;
#endif
}

struct instant {
    std::chrono::steady_clock::time_point time;
    std::uint64_t cycles = 0;

    static instant now() noexcept { return {std::chrono::steady_clock::now(), read_cycles()}; }
};

inline double seconds_between(const instant& a, const instant& b) noexcept {
    return std::chrono::duration<double>(b.time - a.time).count();
}

// Ticks of the counter per second, measured for 50 ms; 0 without a counter.
double measure_tsc_hz();

} // namespace fingerpost::bench
