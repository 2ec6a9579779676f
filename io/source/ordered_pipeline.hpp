// Processes the parts of a stream with several threads. One thread produces the parts, others process them,
// and the caller gets the results in the order of the parts.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

template <class Part, class Result>
class ordered_pipeline {
  public:
    // Takes a part. Returns false if no more parts are needed. May wait until results have been taken, so
    // that only a few parts are in memory.
    using sink = std::function<bool(Part&&)>;
    using source = std::function<void(const sink&)>;
    using work = std::function<Result(Part&&)>;

    // `produce` runs in its own thread and returns when there are no more parts. `make_work` is called in
    // this constructor, once for each processing thread, so that each has its own state. When the last result
    // has been taken, the caller may read that state, because no thread changes it any more.
    ordered_pipeline(unsigned threads, source produce, const std::function<work()>& make_work)
        : max_parts_(std::uint64_t{threads} * 2 + 2) {
        try {
            threads_.emplace_back([this, produce = std::move(produce)] {
                guarded([&] {
                    produce([this](Part&& part) { return put(std::move(part)); });
                    end();
                });
            });
            for (unsigned i = 0; i < threads; ++i)
                threads_.emplace_back([this, each = make_work()] { guarded([&] { work_on(each); }); });
        } catch (...) {
            // Otherwise the started threads would end the program.
            stop(nullptr);
            join();
            throw;
        }
    }
    ordered_pipeline(const ordered_pipeline&) = delete;
    ordered_pipeline& operator=(const ordered_pipeline&) = delete;
    // Waits for the threads. They stop soon, unless `produce` is waiting for something.
    ~ordered_pipeline() {
        stop(nullptr);
        join();
    }

    // Returns the next result; nothing at the end. Throws what any of the threads has thrown.
    std::optional<Result> next() {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] {
            return stopped_ || results_.contains(delivered_) || (ended_ && delivered_ == produced_);
        });
        if (stopped_ && thrown_)
            std::rethrow_exception(thrown_);
        if (stopped_ || delivered_ == produced_)
            return std::nullopt;
        auto node = results_.extract(delivered_++);
        space_.notify_one();
        return std::move(node.mapped());
    }

  private:
    struct numbered {
        std::uint64_t number;
        Part part;
    };

    template <class F>
    void guarded(F run) noexcept {
        try {
            run();
        } catch (...) {
            stop(std::current_exception());
        }
    }

    bool put(Part&& part) {
        std::unique_lock lock(mutex_);
        space_.wait(lock, [this] { return stopped_ || produced_ - delivered_ < max_parts_; });
        if (stopped_)
            return false;
        waiting_.push_back({produced_++, std::move(part)});
        parts_.notify_one();
        return true;
    }

    void end() {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        parts_.notify_all();
        done_.notify_all();
    }

    std::optional<numbered> take() {
        std::unique_lock lock(mutex_);
        parts_.wait(lock, [this] { return stopped_ || ended_ || !waiting_.empty(); });
        if (stopped_ || waiting_.empty())
            return std::nullopt;
        std::optional<numbered> part = std::move(waiting_.front());
        waiting_.pop_front();
        return part;
    }

    void work_on(const work& each) {
        while (auto part = take()) {
            Result result = each(std::move(part->part));
            const std::lock_guard lock(mutex_);
            results_.emplace(part->number, std::move(result));
            if (part->number == delivered_)
                done_.notify_one();
        }
    }

    void stop(std::exception_ptr exception) noexcept {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        if (!thrown_)
            thrown_ = std::move(exception);
        parts_.notify_all();
        space_.notify_all();
        done_.notify_all();
    }

    void join() {
        for (std::thread& each : threads_)
            each.join();
    }

    const std::uint64_t max_parts_; // maximum number of parts without delivered results

    std::mutex mutex_; // guards everything below except the threads
    std::condition_variable parts_;
    std::condition_variable space_;
    std::condition_variable done_;
    std::deque<numbered> waiting_;
    std::map<std::uint64_t, Result> results_;
    std::uint64_t produced_ = 0;
    std::uint64_t delivered_ = 0; // including the one that is being delivered
    bool ended_ = false;          // no more parts are produced
    bool stopped_ = false;
    std::exception_ptr thrown_;

    std::vector<std::thread> threads_;
};

} // namespace fingerpost::io
