// How long a measurement will still take, from what was planned and what steps of a kind have taken so far.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace fingerpost::bench {

// Told in a few words what is going on, and how many seconds are left; fewer than 0 when nobody knows.
using progress_teller = std::function<void(const std::string& what, double seconds_left)>;

enum class bench_step : std::size_t {
    build,   // of one competitor
    prepare, // a workload: addresses drawn, answers checked
    round,   // of one workload
    whole,   // all of one competitor on one workload
};

class countdown {
  public:
    using clock = std::chrono::steady_clock;

    // Further steps; one is thought to take so long until one has been seen.
    void plan(bench_step kind, std::size_t count, double seconds_each);
    // Planned ones that will not be made.
    void drop(bench_step kind, std::size_t count);
    // The next one of this kind begins, and with that the one before has ended.
    void begin(bench_step kind, clock::time_point now = clock::now());
    double seconds_left(clock::time_point now = clock::now()) const;

  private:
    struct steps {
        std::size_t left = 0; // not begun
        std::size_t made = 0;
        double seconds_made = 0;
        double seconds_thought = 0;

        double each() const noexcept {
            return made == 0 ? seconds_thought : seconds_made / static_cast<double>(made);
        }
    };
    static constexpr std::size_t kinds = static_cast<std::size_t>(bench_step::whole) + 1;

    std::array<steps, kinds> steps_{};
    steps* now_ = nullptr; // of the step that is being made
    clock::time_point began_{};
};

} // namespace fingerpost::bench
