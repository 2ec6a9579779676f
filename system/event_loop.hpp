// The loop of the control thread. It calls functions when a descriptor is ready, a time is reached, or a
// signal arrives. One thread runs the loop and makes all of these calls.
//
// A callback may add and remove descriptors and timers, including its own, but must not run the loop.
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
    // Gets the events of epoll: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR.
    using ready_callback = std::function<void(std::uint32_t events)>;
    using timer_callback = std::function<void()>;
    using signal_callback = std::function<void(int signal)>;

    // Identifies a timer. Numbers are never reused.
    enum class timer_id : std::uint64_t { none = 0 };

    static expected<event_loop, failure> create();
    event_loop(event_loop&&) noexcept = default;
    event_loop& operator=(event_loop&&) = delete;
    ~event_loop();

    // The caller keeps the descriptor, and must call unwatch() before closing it. Watching a descriptor again
    // replaces its events and its callback.
    std::optional<failure> watch(int fd, std::uint32_t events, ready_callback call);
    void unwatch(int fd) noexcept;

    // Timers that are due at the same time are called in the order in which they were set. Calls of a
    // periodic timer are at least one period apart, and at least 1 ms; after a late call, the next one is
    // late as well.
    timer_id after(clock::duration delay, timer_callback call);
    timer_id every(clock::duration period, timer_callback call);
    // Cancels a timer. Nothing happens if it is over or does not exist.
    void cancel(timer_id id) noexcept;

    // Blocks the signal in this thread and in those that it starts later, so call this before starting
    // threads. Signals that arrive while the loop does not run are handled when it does.
    std::optional<failure> on_signal(int signal, signal_callback call);

    // Runs until a callback calls stop(). Fails if epoll fails.
    std::optional<failure> run();
    // Ends run() after the current round of events. For callbacks only.
    void stop() noexcept { stopped_ = true; }
    // Waits at most `limit` until a descriptor is ready, a signal arrives or a timer is due, and makes the
    // calls. For tests, and for programs with their own loops.
    std::optional<failure> run_once(clock::duration limit);

  private:
    struct timer {
        timer_id id = timer_id::none;
        clock::duration period{}; // zero: a single call
        timer_callback call;
    };
    struct watched {
        // Keeps an event of a closed file from a new file with the same descriptor.
        std::uint64_t serial = 0;
        std::shared_ptr<ready_callback> call;
    };
    using moment = std::pair<clock::time_point, timer_id>;

    explicit event_loop(unique_fd epoll) noexcept : epoll_(std::move(epoll)) {}
    timer_id add_timer(clock::time_point when, timer entry);
    void call_timers();
    void read_signals();
    int milliseconds_until_timer(clock::duration limit) const;

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
