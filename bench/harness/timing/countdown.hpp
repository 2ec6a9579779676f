// Estimates the remaining time of a measurement from the planned steps and the times of past steps of each
// kind.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace fingerpost::bench {

// Called with a description of the current step and the remaining seconds, or a negative number if they are
// unknown.
using progress_teller = std::function<void(const std::string& what, double seconds_left)>;

enum class bench_step : std::size_t {
    build,   // builds a competitor
    prepare, // prepares a workload: draws addresses, checks answers
    round,   // a round of one workload
    whole,   // all measurements of one competitor on one workload
};

class countdown {
  public:
    using clock = std::chrono::steady_clock;

    // Adds steps. The estimate is used until a step of this kind has been timed.
    void plan(bench_step kind, std::size_t count, double seconds_each);
    // Removes planned steps that will not run.
    void drop(bench_step kind, std::size_t count);
    // Starts the next step of this kind, and ends the current one.
    void begin(bench_step kind, clock::time_point now = clock::now());
    double seconds_left(clock::time_point now = clock::now()) const;

  private:
    struct steps {
        std::size_t left = 0; // steps not started
        std::size_t completed = 0;
        double seconds_made = 0;
        double seconds_thought = 0;

        double each() const noexcept {
            return completed == 0 ? seconds_thought : seconds_made / static_cast<double>(completed);
        }
    };
    static constexpr std::size_t kinds = static_cast<std::size_t>(bench_step::whole) + 1;

    std::array<steps, kinds> steps_{};
    steps* now_ = nullptr; // kind of the current step
    clock::time_point began_{};
};

} // namespace fingerpost::bench
