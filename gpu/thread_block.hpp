// The threads of a block, for kernels in which threads work together. Such a kernel is written once over a
// `Block`: on a GPU its functions are called by each thread, on the CPU by one thread that does the work of
// all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fingerpost::gpu {

// Takes the place for `items` from `memory`, or returns null if they do not fit.
template <class T>
T* take_place(std::span<std::byte>& memory, std::span<const T> items) noexcept {
    const std::size_t bytes = (items.size_bytes() + 7) / 8 * 8;
    if (bytes > memory.size())
        return nullptr;
    T* const place = reinterpret_cast<T*>(memory.data());
    memory = memory.subspan(bytes);
    return place;
}

// `Size` lanes in one thread.
template <unsigned Size>
struct cpu_lanes {
    template <class T>
    using values = std::array<T, Size>; // one for each lane

    template <class Body>
    void each(Body body) const {
        for (unsigned lane = 0; lane < Size; ++lane)
            body(lane);
    }
    template <class T>
    T get(const values<T>& from, unsigned lane) const {
        return from[lane];
    }
    // Number of lanes for which test(lane) is true.
    template <class Test>
    unsigned count(Test test) const {
        unsigned number = 0;
        each([&](unsigned lane) { number += test(lane) ? 1 : 0; });
        return number;
    }
};

class cpu_block {
  public:
    explicit cpu_block(std::span<std::byte> shared) noexcept : shared_(shared) {}

    // Calls body(i) for the items below `count`, each in one thread of one block.
    template <class Body>
    void each(std::size_t count, Body body) const {
        for (std::size_t i = 0; i < count; ++i)
            body(i);
    }
    // Calls body(lanes, first) for groups of `Size` items, each in as many threads. The last group may exceed
    // `count`.
    template <unsigned Size, class Body>
    void each_group(std::size_t count, Body body) const {
        for (std::size_t first = 0; first < count; first += Size)
            body(cpu_lanes<Size>{}, first);
    }
    // Returns a copy in shared memory, or `items` if they do not fit. Call wait() before reading it.
    template <class T>
    std::span<const T> share(std::span<const T> items) noexcept {
        T* const place = take_place(shared_, items);
        if (place == nullptr)
            return items;
        std::copy(items.begin(), items.end(), place);
        return {place, items.size()};
    }
    void wait() const noexcept {}

  private:
    std::span<std::byte> shared_;
};

#ifdef __CUDA__
// `Size` threads of a warp, a power of two. All threads of the warp must call a function together.
template <unsigned Size>
class device_lanes {
  public:
    template <class T>
    struct values {
        T own{};
        T& operator[](unsigned) { return own; }
    };

    explicit device_lanes(unsigned thread) : first_(thread % 32 / Size * Size), lane_(thread % Size) {}
    template <class Body>
    void each(Body body) const {
        body(lane_);
    }
    template <class T>
    T get(const values<T>& from, unsigned lane) const {
        if constexpr (sizeof(T) == 8)
            return static_cast<T>(word(from.own >> 32, lane)) << 32 | word(from.own, lane);
        else
            return word(from.own, lane);
    }
    template <class Test>
    unsigned count(Test test) const {
        const unsigned votes = __nvvm_vote_ballot_sync(~0u, test(lane_)) >> first_;
        return static_cast<unsigned>(std::popcount(votes & ((1u << Size) - 1)));
    }

  private:
    static unsigned word(std::uint64_t of, unsigned lane) {
        constexpr int segments = static_cast<int>((32 - Size) << 8 | 31);
        return static_cast<unsigned>(
            __nvvm_shfl_sync_idx_i32(~0u, static_cast<int>(of), static_cast<int>(lane), segments));
    }

    unsigned first_, lane_;
};

class device_block {
  public:
    explicit device_block(std::byte* shared)
        : thread_(static_cast<unsigned>(__nvvm_read_ptx_sreg_tid_x())),
          threads_(static_cast<unsigned>(__nvvm_read_ptx_sreg_ntid_x())),
          number_(static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_x())),
          blocks_(static_cast<unsigned>(__nvvm_read_ptx_sreg_nctaid_x())) {
        unsigned bytes = 0;
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
        shared_ = {shared, bytes};
    }

    template <class Body>
    void each(std::size_t count, Body body) const {
        const std::size_t step = std::size_t{blocks_} * threads_;
        for (std::size_t i = std::size_t{number_} * threads_ + thread_; i < count; i += step)
            body(i);
    }
    template <unsigned Size, class Body>
    void each_group(std::size_t, Body body) const {
        body(device_lanes<Size>(thread_), (std::size_t{number_} * threads_ + thread_) / Size * Size);
    }
    template <class T>
    std::span<const T> share(std::span<const T> items) {
        T* const place = take_place(shared_, items);
        if (place == nullptr)
            return items;
        for (std::size_t i = thread_; i < items.size(); i += threads_)
            place[i] = items[i];
        return {place, items.size()};
    }
    void wait() const { __syncthreads(); }

  private:
    std::span<std::byte> shared_;
    unsigned thread_, threads_, number_, blocks_;
};
#endif

} // namespace fingerpost::gpu
