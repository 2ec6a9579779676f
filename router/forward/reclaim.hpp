// Keeps entries, buckets and numbers of next hops until no data thread can hold them any more.
//
// The control thread never waits: it retires unlinked objects, and poll() frees them after a grace period
// that began later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace fingerpost::router {

// Reports when no data thread can hold objects unlinked before begin(): each thread has since passed a point
// where it holds nothing, and every ring has been drained of the packets that it contained.
class grace_clock {
  public:
    virtual ~grace_clock() = default;
    virtual std::uint64_t begin() = 0;
    // For the period begun last; does not wait.
    virtual bool is_over(std::uint64_t period) = 0;
};

// For the control thread.
class reclaimer {
  public:
    explicit reclaimer(grace_clock& clock) : clock_(&clock) {}
    reclaimer(const reclaimer&) = delete;
    reclaimer& operator=(const reclaimer&) = delete;
    ~reclaimer() { drain(); }

    // Runs `action` once no data thread can hold objects unlinked before this call. Throws std::bad_alloc.
    void later(std::function<void()> action) { next_.push_back(std::move(action)); }

    void poll() {
        if (period_ && clock_->is_over(*period_)) {
            period_.reset();
            run(waiting_);
        }
        if (!period_ && !next_.empty()) {
            waiting_.swap(next_);
            period_ = clock_->begin();
        }
    }
    // After the data threads have ended: runs all actions, and those that they add.
    void drain() {
        while (pending() != 0) {
            run(waiting_);
            run(next_);
        }
    }
    std::size_t pending() const noexcept { return waiting_.size() + next_.size(); }

  private:
    static void run(std::vector<std::function<void()>>& actions) {
        for (const auto& action : std::exchange(actions, {}))
            action();
    }

    grace_clock* clock_;
    std::optional<std::uint64_t> period_;
    std::vector<std::function<void()>> waiting_; // for the end of the period
    std::vector<std::function<void()>> next_;    // for the end of the next period
};

} // namespace fingerpost::router
