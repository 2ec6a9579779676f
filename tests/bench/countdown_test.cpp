// The remaining time, with a clock that the test sets.
#include <gtest/gtest.h>

#include "bench/harness/timing/countdown.hpp"

namespace fingerpost::bench {
namespace {

countdown::clock::time_point at(double seconds) {
    return countdown::clock::time_point(
        std::chrono::duration_cast<countdown::clock::duration>(std::chrono::duration<double>(seconds)));
}

TEST(countdown, TakesWhatWasPlannedUntilItHasSeenSome) {
    countdown left;
    EXPECT_DOUBLE_EQ(left.seconds_left(at(0)), 0);
    left.plan(bench_step::build, 2, 3);
    left.plan(bench_step::round, 10, 1);
    EXPECT_DOUBLE_EQ(left.seconds_left(at(0)), 16);
    left.begin(bench_step::build, at(0));
    EXPECT_DOUBLE_EQ(left.seconds_left(at(0)), 16);
    EXPECT_DOUBLE_EQ(left.seconds_left(at(2)), 14);
    // The build takes longer than expected, so only the later steps count.
    EXPECT_DOUBLE_EQ(left.seconds_left(at(5)), 13);
}

TEST(countdown, TakesTheMeanOfWhatItHasSeen) {
    countdown left;
    left.plan(bench_step::build, 1, 1);
    left.plan(bench_step::round, 4, 1);
    left.begin(bench_step::build, at(0));
    left.begin(bench_step::round, at(7));
    EXPECT_DOUBLE_EQ(left.seconds_left(at(7)), 4);
    left.begin(bench_step::round, at(10));
    EXPECT_DOUBLE_EQ(left.seconds_left(at(10)), 9);
    left.begin(bench_step::round, at(11));
    EXPECT_DOUBLE_EQ(left.seconds_left(at(11)), 4);
    left.drop(bench_step::round, 1);
    EXPECT_DOUBLE_EQ(left.seconds_left(at(11)), 2);
    left.drop(bench_step::round, 9);
    EXPECT_DOUBLE_EQ(left.seconds_left(at(13)), 0);
    // More steps than planned do not make the count negative.
    left.begin(bench_step::round, at(14));
    EXPECT_DOUBLE_EQ(left.seconds_left(at(14)), 7.0 / 3);
}

} // namespace
} // namespace fingerpost::bench
