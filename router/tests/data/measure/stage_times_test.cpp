// The choice of timed bursts, and the stages that their cycles are counted in.
#include "router/measure/stage_times.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace fingerpost::router {
namespace {

std::uint64_t bursts_of(const stage_times& times, stage which) {
    std::uint64_t sum = 0;
    for (const stage_time& one : times.by_stage[static_cast<std::size_t>(which)])
        sum += one.bursts.get();
    return sum;
}

void burn(std::uint64_t cycles) {
    const std::uint64_t end = rte_rdtsc() + cycles;
    while (rte_rdtsc() < end) {
    }
}

TEST(StageTimes, SortsBatchesBySize) {
    for (const auto& [packets, wanted] : {std::pair(1, 0), {2, 1}, {3, 1}, {4, 2}, {31, 4}, {32, 5}, {64, 6}})
        EXPECT_EQ(batch_class_of(static_cast<std::size_t>(packets)), static_cast<std::size_t>(wanted))
            << packets;
}

TEST(StageTimes, CountsEachStageOfATimedBurst) {
    const auto times = std::make_unique<stage_times>();
    stage_clock clock(*times, 1);
    clock.start();
    burn(20'000);
    clock.lap(stage::check, 5);
    burn(1'000);
    const std::uint64_t began = clock.begin_transmit();
    burn(50'000);
    clock.end_transmit(began, 3);
    clock.lap(stage::rewrite, 5);
    clock.lap(stage::hand_over, 0);
    clock.end_burst();
    const auto& checked = times->of(stage::check, 5);
    EXPECT_EQ(checked.bursts.get(), 1u);
    EXPECT_EQ(checked.packets.get(), 5u);
    EXPECT_GT(checked.cycles.get(), 19'000u);
    EXPECT_EQ(times->of(stage::transmit, 3).packets.get(), 3u);
    EXPECT_GT(times->of(stage::transmit, 3).cycles.get(), 49'000u);
    EXPECT_EQ(times->of(stage::rewrite, 5).bursts.get(), 1u);
    EXPECT_EQ(bursts_of(*times, stage::hand_over), 0u);
    EXPECT_TRUE(clock.times_transmit());
}

// Interruptions only make a stage longer, so one undisturbed attempt of many is enough.
TEST(StageTimes, TransmittingIsNotPartOfTheStageAroundIt) {
    for (int tries = 0; tries < 1'000; ++tries) {
        const auto times = std::make_unique<stage_times>();
        stage_clock clock(*times, 1);
        clock.start();
        const std::uint64_t began = clock.begin_transmit();
        burn(50'000);
        clock.end_transmit(began, 1);
        clock.lap(stage::rewrite, 1);
        if (times->of(stage::rewrite, 1).cycles.get() < 25'000)
            return;
    }
    FAIL() << "the cycles of transmitting were counted twice";
}

TEST(StageTimes, TimesOneBurstInN) {
    for (const unsigned one_in : {0u, 1u, 16u}) {
        const auto times = std::make_unique<stage_times>();
        stage_clock clock(*times, one_in);
        constexpr unsigned bursts = 100'000;
        for (unsigned i = 0; i < bursts; ++i) {
            clock.start();
            clock.lap(stage::look_up, 1);
            clock.end_burst();
            clock.end_round();
        }
        const auto timed = static_cast<double>(bursts_of(*times, stage::look_up));
        const double expected = one_in == 0 ? 0 : static_cast<double>(bursts) / one_in;
        EXPECT_NEAR(timed, expected, 500) << one_in;
    }
}

} // namespace
} // namespace fingerpost::router
