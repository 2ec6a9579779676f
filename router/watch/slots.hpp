// A fixed number of slots that data threads fill and the control thread empties, without a lock.
//
//   claim()    a data thread gets a free slot
//   publish()  the last data thread that writes a slot passes it to the control thread
//   take()     the control thread reads and frees it
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace fingerpost::router {

template <class T, std::size_t Count>
class slots {
  public:
    static constexpr std::size_t count = Count;

    // Throws std::bad_alloc.
    slots() : values_(std::make_unique<std::array<T, Count>>()) {}

    // The number of a free slot; none if the next few slots are in use.
    std::optional<std::uint16_t> claim() noexcept {
        for (unsigned tries = 0; tries < 8; ++tries) {
            const std::size_t at = next_.fetch_add(1, std::memory_order_relaxed) % Count;
            state expected = state::free;
            if (states_[at].compare_exchange_strong(expected, state::filling, std::memory_order_acquire))
                return static_cast<std::uint16_t>(at);
        }
        return std::nullopt;
    }
    T& operator[](std::size_t at) noexcept { return (*values_)[at]; }
    void publish(std::size_t at) noexcept { states_[at].store(state::ready, std::memory_order_release); }
    void free(std::size_t at) noexcept { states_[at].store(state::free, std::memory_order_release); }

    // Calls use(value) for each ready slot, and frees it, until use() returns false.
    template <class F>
    void take(F use) {
        take_in(state::ready, use);
    }
    // Like take(), for unfinished slots. Only when no data thread can use them any more.
    template <class F>
    void take_unfinished(F use) {
        take_in(state::filling, use);
    }

  private:
    enum class state : std::uint8_t { free, filling, ready };
    static_assert(Count <= 65536);

    template <class F>
    void take_in(state which, F use) {
        for (std::size_t looked_at = 0; looked_at < Count; ++looked_at) {
            const std::size_t at = (first_ + looked_at) % Count;
            if (states_[at].load(std::memory_order_acquire) != which)
                continue;
            const bool goes_on = use((*values_)[at]);
            free(at);
            if (!goes_on) {
                first_ = at + 1;
                return;
            }
        }
    }

    std::unique_ptr<std::array<T, Count>> values_;
    std::array<std::atomic<state>, Count> states_{};
    std::atomic<std::size_t> next_{0};
    std::size_t first_ = 0; // slot at which take() begins, so that it follows the order of claims
};

} // namespace fingerpost::router
