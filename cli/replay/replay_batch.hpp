// Decides when a replay commits its batch, and when an update is due in real time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace fingerpost::cli {

// Recording time in microseconds since 1970, if the update has one.
using update_time = std::optional<std::uint64_t>;

// Counts the changes of a batch. A batch ends after this many changes, or before the first update with
// another time.
class batch_rule {
  public:
    // Limit for all batches, to bound their memory.
    static constexpr std::size_t most = 65'536;

    static batch_rule by_size(std::size_t changes) {
        return {std::clamp<std::size_t>(changes, 1, most), false};
    }
    static batch_rule by_time() { return {most, true}; }

    // Whether the batch must be committed before an update with this time. Updates without a time belong to
    // the preceding batch.
    bool ends_before(update_time next) const noexcept {
        return by_time_ && gathered_ != 0 && next && next != time_;
    }
    // Records an update. `changes` is whether it changes the table.
    void note(update_time at, bool changes) noexcept {
        if (at)
            time_ = at;
        gathered_ += changes ? 1 : 0;
    }
    bool is_full() const noexcept { return gathered_ >= size_; }
    bool is_empty() const noexcept { return gathered_ == 0; }
    void clear() noexcept { gathered_ = 0; }

  private:
    batch_rule(std::size_t size, bool by_time) : size_(size), by_time_(by_time) {}

    std::size_t size_;
    bool by_time_;
    std::size_t gathered_ = 0;
    update_time time_{};
};

// Converts recorded times to a clock that starts at 0 s. The first update is due immediately. If the recorded
// clock jumps back, as between two files, or ahead by more than a day, as in damaged files, the next update
// is due immediately, and later ones at their recorded distances.
class pacer {
  public:
    // `speed` is a multiple of the recorded speed.
    explicit pacer(double speed) : speed_(speed) {}

    // Seconds from `now` until an update with this time is due; 0 if it is already due.
    double wait(update_time at, double now) {
        if (!at)
            return 0;
        if (!last_ || *at > *last_ + one_day || *at + one_second < *last_) {
            begin_ = *at;
            begun_ = now;
        }
        last_ = at;
        const double recorded = *at < begin_ ? 0 : static_cast<double>(*at - begin_) * 1e-6;
        return std::max(begun_ + recorded / speed_ - now, 0.0);
    }

  private:
    static constexpr std::uint64_t one_second = 1'000'000;
    static constexpr std::uint64_t one_day = 86'400 * one_second;

    double speed_;
    update_time last_{};
    std::uint64_t begin_ = 0; // recorded time at `begun_`
    double begun_ = 0;
};

} // namespace fingerpost::cli
