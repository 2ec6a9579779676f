// Readers of a live table, each on its own core. They look up continuously and count lookups, or one of them
// waits for an answer to change.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "bench/harness/timing/team.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost::bench {

template <class A>
class reading_team {
    using clock = std::chrono::steady_clock;

  public:
    // Starts one reader on each CPU. Each looks up batches of `batch` addresses of `trace`, which must
    // outlive the team.
    reading_team(table<A>& live, std::span<const unsigned> cpus, std::span<const A> trace, std::size_t batch)
        : trace_(trace), batch_(std::min(batch, trace.size())), seats_(cpus.size()) {
        std::vector<reader<A>> readers;
        for (std::size_t i = 0; i < cpus.size(); ++i) {
            auto attempt = live.reader();
            if (!attempt)
                throw std::bad_alloc();
            readers.push_back(std::move(*attempt));
        }
        for (std::size_t i = 0; i < cpus.size(); ++i)
            seats_[i].thread = std::jthread([this, i, cpu = cpus[i], own = std::move(readers[i])]() mutable {
                pin_to(cpu);
                run(seats_[i], i, own);
            });
        while (started_.load() < cpus.size())
            std::this_thread::yield();
    }
    reading_team(const reading_team&) = delete;
    reading_team& operator=(const reading_team&) = delete;
    ~reading_team() { stop_.store(true); }

    // Number of lookups of all readers so far.
    std::uint64_t answered() const noexcept {
        std::uint64_t sum = 0;
        for (const seat& s : seats_)
            sum += s.answered.load(std::memory_order_relaxed);
        return sum;
    }

    // Makes the first reader stop counting and look up `probe` until the result is `answer`. Returns when it
    // has started.
    void watch(A probe, next_hop answer) {
        probe_ = probe;
        wanted_ = answer;
        const std::uint64_t number = asked_.load(std::memory_order_relaxed) + 1;
        asked_.store(number, std::memory_order_release);
        while (began_.load(std::memory_order_acquire) != number)
            pause();
    }
    // Returns the time at which the reader saw the watched answer, or nullopt after `patience`.
    std::optional<clock::time_point> wait_for_answer(std::chrono::nanoseconds patience) {
        const std::uint64_t number = asked_.load(std::memory_order_relaxed);
        const auto end = clock::now() + patience;
        while (saw_.load(std::memory_order_acquire) != number)
            if (clock::now() > end) {
                give_up_.store(number, std::memory_order_release);
                return std::nullopt;
            }
        return seen_at_;
    }
    // Makes the first reader count again, until the next watch().
    void count() { counting_.store(true, std::memory_order_release); }
    void keep_watching() { counting_.store(false, std::memory_order_release); }

  private:
    struct alignas(cache_line_bytes) seat {
        std::atomic<std::uint64_t> answered{0};
        std::jthread thread;
    };

    static void pause() noexcept {
#if defined(__x86_64__)
        _mm_pause();
#endif
    }

    void run(seat& own, std::size_t index, reader<A>& by) {
        std::vector<next_hop> out(batch_);
        std::size_t at = trace_.size() / (seats_.size() + 1) * index;
        started_.fetch_add(1);
        while (!stop_.load(std::memory_order_relaxed)) {
            if (index == 0 && !counting_.load(std::memory_order_relaxed)) {
                watch_once(by);
                continue;
            }
            if (at + batch_ > trace_.size())
                at = 0;
            by.pin().lookup(trace_.subspan(at, batch_), out);
            at += batch_;
            own.answered.store(own.answered.load(std::memory_order_relaxed) + batch_,
                               std::memory_order_relaxed);
        }
    }
    void watch_once(reader<A>& by) {
        const std::uint64_t number = asked_.load(std::memory_order_acquire);
        if (number == saw_.load(std::memory_order_relaxed) || number == give_up_.load()) {
            pause();
            return;
        }
        const A probe = probe_;
        const next_hop answer = wanted_;
        began_.store(number, std::memory_order_release);
        while (by.pin().lookup(probe) != answer)
            if (stop_.load(std::memory_order_relaxed) || give_up_.load(std::memory_order_relaxed) == number)
                return;
        seen_at_ = clock::now();
        saw_.store(number, std::memory_order_release);
    }

    std::span<const A> trace_;
    std::size_t batch_;
    std::atomic<bool> stop_{false};
    std::atomic<bool> counting_{true};
    std::atomic<std::size_t> started_{0};

    // Written by the writer, then by the first reader.
    alignas(cache_line_bytes) std::atomic<std::uint64_t> asked_{0};
    A probe_{};
    next_hop wanted_ = next_hop::none;
    std::atomic<std::uint64_t> give_up_{~std::uint64_t{0}};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> began_{0};
    std::atomic<std::uint64_t> saw_{0};
    clock::time_point seen_at_{};

    // The last member, so that threads are joined before other members are destroyed.
    std::vector<seat> seats_;
};

} // namespace fingerpost::bench
