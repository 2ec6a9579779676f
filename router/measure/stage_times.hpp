// Cycles that the stages of a data thread take, by batch size.
//
// Reading the time stamp counter takes about 1/3 of the time of a packet, so only one burst in a given number
// is timed, after a random number of others. A timed burst is timed in all of its stages.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_random.h>

#include "router/measure/counter.hpp"

namespace fingerpost::router {

enum class stage : std::uint8_t {
    receive,   // the device's driver
    check,     // checks of headers, and sorting by result
    take,      // from a ring of another thread
    look_up,   // the next hops of the batch, after following groups and neighbours
    hand_over, // to a ring of another thread
    rewrite,   // the Ethernet header and the hop count
    transmit,  // the device's driver, or a ring to the thread that owns the device's queue
};
inline constexpr std::array<std::string_view, 7> stage_names = {"receive",   "check",   "take",    "look_up",
                                                                "hand_over", "rewrite", "transmit"};
inline constexpr std::size_t stage_count = stage_names.size();

// Batch sizes: 1, 2 to 3, 4 to 7, ..., 64 packets.
inline constexpr std::size_t batch_class_count = 7;
constexpr std::size_t batch_class_of(std::size_t packets) noexcept {
    return std::min<std::size_t>(std::bit_width(packets | 1) - 1U, batch_class_count - 1);
}

struct stage_time {
    counter bursts;
    counter packets;
    counter cycles; // of the time stamp counter
};

struct stage_times {
    std::array<std::array<stage_time, batch_class_count>, stage_count> by_stage;

    stage_time& of(stage which, std::size_t packets) noexcept {
        return by_stage[static_cast<std::size_t>(which)][batch_class_of(packets)];
    }
};

// Belongs to one data thread. While no burst is timed, each call costs a branch.
class stage_clock {
  public:
    // One in `one_in` bursts is timed, on average; 0: none.
    stage_clock(stage_times& into, unsigned one_in) noexcept
        : into_(&into), one_in_(one_in), is_on_(one_in == 1) {
        for (int i = 0; i < 16; ++i) {
            const std::uint64_t before = rte_rdtsc();
            own_cycles_ = std::min(own_cycles_, rte_rdtsc() - before);
        }
        draw();
    }

    // To be called before the first stage of a burst.
    void start() noexcept {
        if (unlikely(is_on_))
            last_ = rte_rdtsc();
    }
    // To be called after each stage, with its number of packets; 0 is not recorded.
    void lap(stage which, std::size_t packets) noexcept {
        if (unlikely(is_on_))
            note(which, packets);
    }
    // To be called after the last stage of a burst.
    void end_burst() noexcept {
        round_is_on_ |= is_on_;
        is_on_ = --left_ == 0;
        if (unlikely(is_on_))
            draw();
    }
    void end_round() noexcept { round_is_on_ = false; }

    // To be called around a transmit call. Its time is not counted in an enclosing stage.
    bool times_transmit() const noexcept { return is_on_ || round_is_on_; }
    std::uint64_t begin_transmit() const noexcept { return rte_rdtsc(); }
    void end_transmit(std::uint64_t began, std::size_t packets) noexcept {
        add(stage::transmit, packets, rte_rdtsc() - began);
        last_ += rte_rdtsc() - began;
    }

  private:
    void draw() noexcept {
        left_ = one_in_ == 0 ? std::numeric_limits<std::uint64_t>::max() : 1 + rte_rand_max(2 * one_in_ - 1);
    }
    void add(stage which, std::size_t packets, std::uint64_t cycles) noexcept {
        if (packets == 0)
            return;
        stage_time& time = into_->of(which, packets);
        time.bursts.add(1);
        time.packets.add(packets);
        time.cycles.add(cycles - std::min(cycles, own_cycles_));
    }
    void note(stage which, std::size_t packets) noexcept {
        add(which, packets, rte_rdtsc() - last_);
        last_ = rte_rdtsc();
    }

    stage_times* into_;
    std::uint64_t left_ = 0; // bursts until the next one that is timed
    std::uint64_t last_ = 0;
    std::uint64_t own_cycles_ = std::numeric_limits<std::uint64_t>::max(); // cost of reading the counter
    unsigned one_in_;
    bool is_on_;               // this burst is timed
    bool round_is_on_ = false; // a burst of this round was timed
};

} // namespace fingerpost::router
