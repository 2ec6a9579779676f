// Estimates the remaining time of a measurement from the planned steps and the times of past steps of each
// kind.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace fingerpost::bench {

// Called with a few words about the current step, and with the remaining seconds; less than 0 if they are not
// known.
using progress_teller = std::function<void(const std::string& what, double seconds_left)>;

enum class bench_step : std::size_t {
    build,   // of one competitor
    prepare, // a workload: draws addresses, checks answers
    round,   // of one workload
    whole,   // all of one competitor on one workload
};

class countdown {
  public:
    using clock = std::chrono::steady_clock;

    // Adds steps; the estimate is used until one step of the kind has been timed.
    void plan(bench_step kind, std::size_t count, double seconds_each);
    // Removes planned steps that will not be made.
    void drop(bench_step kind, std::size_t count);
    // The next step of this kind begins; this also ends the step before.
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
    steps* now_ = nullptr; // of the current step
    clock::time_point began_{};
};

} // namespace fingerpost::bench
