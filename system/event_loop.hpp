// The control thread's loop: calls a function when a descriptor is ready, when a time has come, or when a
// signal arrived. One thread runs it, and all of its functions are called by that thread.
//
// A callback may add and remove descriptors and timers, also its own. It must not run the loop again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

class event_loop {
  public:
    using clock = std::chrono::steady_clock;
    // Takes the events of epoll: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR.
    using ready_callback = std::function<void(std::uint32_t events)>;
    using timer_callback = std::function<void()>;
    using signal_callback = std::function<void(int signal)>;

    // Names one timer for good: numbers are never used twice.
    enum class timer_id : std::uint64_t { none = 0 };

    static expected<event_loop, failure> create();
    event_loop(event_loop&&) noexcept = default;
    event_loop& operator=(event_loop&&) = delete;
    ~event_loop();

    // The descriptor stays its owner's, who calls unwatch() before closing it. Watching a descriptor again
    // replaces its events and its callback.
    std::optional<failure> watch(int fd, std::uint32_t events, ready_callback call);
    void unwatch(int fd) noexcept;

    // Timers of one moment are called in the order in which they were set. A periodic timer that is late is
    // called once and keeps its distance from then on.
    timer_id after(clock::duration delay, timer_callback call);
    timer_id every(clock::duration period, timer_callback call);
    // Of a timer that is over or none: nothing happens.
    void cancel(timer_id id) noexcept;

    // The signal is blocked in this thread and in those that it starts later, so it is called before threads
    // are started. Signals that arrive while the loop does not run wait for it.
    std::optional<failure> on_signal(int signal, signal_callback call);

    // Until stop() is called by a callback. The failure is one of epoll itself.
    std::optional<failure> run();
    void stop() noexcept { stopped_ = true; }
    // Waits at most so long for one round of events, and calls back for them. For tests, and for programs
    // with a loop of their own.
    std::optional<failure> run_once(clock::duration longest);

  private:
    struct timer {
        timer_id id = timer_id::none;
        clock::duration period{}; // zero: once
        timer_callback call;
    };
    struct watched {
        std::uint64_t serial =
            0; // so that an event for a former owner of the number is not given to the next
        std::shared_ptr<ready_callback> call;
    };
    using moment = std::pair<clock::time_point, timer_id>;

    explicit event_loop(unique_fd epoll) noexcept : epoll_(std::move(epoll)) {}
    timer_id add_timer(clock::time_point when, timer one);
    void call_timers();
    void read_signals();
    int milliseconds_until_timer(clock::duration longest) const;

    unique_fd epoll_;
    unique_fd signals_;
    std::unordered_map<int, watched> watched_;
    std::uint64_t last_serial_ = 0;
    std::map<moment, timer> timers_;
    std::unordered_map<std::uint64_t, clock::time_point> when_; // by timer_id
    std::uint64_t last_timer_ = 0;
    std::unordered_map<int, signal_callback> signal_calls_;
    bool stopped_ = false;
};

} // namespace fingerpost::system
