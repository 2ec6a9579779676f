// Runs functions of other threads on the control thread, so that its state needs no locks.
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
    // The loop must outlive the queue, and the loop's thread must destroy the queue.
    static expected<std::unique_ptr<call_queue>, failure> create(event_loop& loop);
    ~call_queue();
    call_queue(const call_queue&) = delete;
    call_queue& operator=(const call_queue&) = delete;

    // May be called by any thread except the loop's. The loop's thread calls `run`, and this returns when it
    // is done. False if the loop does not get to it in time, or has ended: then `run` is never called.
    bool call(std::function<void()> run, std::chrono::milliseconds longest = std::chrono::seconds(2));

    // From now on nothing is called, and calls that wait return false. For the loop's thread.
    void close();

  private:
    struct request {
        std::function<void()> run;
        bool taken = false;
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
