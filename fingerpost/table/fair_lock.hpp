// A lock for one writer and any number of readers, in which neither side can starve the other.
//
// An arriving writer stops new readers and waits for the current ones. Readers that arrive meanwhile enter as
// soon as it leaves, before it can enter again. So the writer waits for each reader at most once, and a
// reader waits for the writer at most once. std::shared_mutex guarantees neither: glibc's lets new readers in
// while others hold it, so the writer may wait forever.
//
//      in     arrived readers, times four | phase of the writer | writer present
//      out    departed readers
//
// Source: B. Brandenburg, J. Anderson, Spin-based reader-writer synchronization for multiprocessor real-time
// systems, 2010 (the phase-fair ticket lock, for one writer). Waiting threads sleep in the kernel.
#pragma once

#include <atomic>
#include <cstdint>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::detail {

// For std::unique_lock and std::shared_lock. Only one thread at a time may call lock().
class fair_lock {
    static constexpr std::uint32_t there = 1;
    static constexpr std::uint32_t phase = 2;
    static constexpr std::uint32_t writer = there | phase;
    static constexpr std::uint32_t one_reader = 4;
    static constexpr std::uint32_t most_readers = ~std::uint32_t{0} / one_reader; // counters wrap around here

  public:
    fair_lock() = default;
    fair_lock(const fair_lock&) = delete;
    fair_lock& operator=(const fair_lock&) = delete;

    void lock_shared() noexcept {
        const std::uint32_t met = in_.fetch_add(one_reader, std::memory_order_acquire) & writer;
        if ((met & there) == 0)
            return;
        // The next writer has the other phase and has counted this reader.
        for (;;) {
            const std::uint32_t left = writers_left_.load(std::memory_order_acquire);
            if ((in_.load(std::memory_order_acquire) & writer) != met)
                return;
            writers_left_.wait(left, std::memory_order_acquire);
        }
    }
    void unlock_shared() noexcept {
        out_.fetch_add(1, std::memory_order_release);
        out_.notify_one();
    }
    void lock() noexcept {
        next_phase_ ^= phase;
        const std::uint32_t came = in_.fetch_add(there | next_phase_, std::memory_order_acquire) / one_reader;
        for (;;) {
            const std::uint32_t left = out_.load(std::memory_order_acquire);
            if ((left & most_readers) == came)
                return;
            out_.wait(left, std::memory_order_acquire);
        }
    }
    void unlock() noexcept {
        in_.fetch_and(~writer, std::memory_order_release);
        writers_left_.fetch_add(1, std::memory_order_release);
        writers_left_.notify_all();
    }

  private:
    std::atomic<std::uint32_t> in_{0};
    std::atomic<std::uint32_t> out_{0};
    std::atomic<std::uint32_t> writers_left_{0};
    std::uint32_t next_phase_ = 0; // used by the writer only
};

} // namespace fingerpost::detail
