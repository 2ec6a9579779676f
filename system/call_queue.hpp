// Runs functions of other threads on the control thread, whose state then needs no locks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "fingerpost/base/expected.hpp"
#include "system/event_loop.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

class call_queue {
  public:
    // The loop must outlive the queue, and its thread must destroy the queue.
    static expected<std::unique_ptr<call_queue>, failure> create(event_loop& loop);
    ~call_queue();
    call_queue(const call_queue&) = delete;
    call_queue& operator=(const call_queue&) = delete;

    // Lets the loop's thread call `run`, and returns when it is done. Any other thread may call this. Returns
    // false if the loop does not start `run` in time or has ended; `run` is then never called.
    bool call(std::function<void()> run, std::chrono::milliseconds timeout = std::chrono::seconds(2));

    // Ends the queue: nothing more is called, and waiting calls return false. For the loop's thread.
    void close();

  private:
    struct request {
        std::function<void()> run;
        bool started = false;
        bool done = false;
    };

    call_queue(event_loop& loop, unique_fd wake) : loop_(&loop), wake_(std::move(wake)) {}
    void answer();

    event_loop* loop_;
    unique_fd wake_;
    std::mutex lock_;
    std::condition_variable answered_;
    std::deque<std::shared_ptr<request>> waiting_;
    bool closed_ = false;
};

} // namespace fingerpost::system
