// Quartiles, ratios and the clocks of the benchmark harness.
#include <gtest/gtest.h>

#include "bench/harness/clock.hpp"
#include "bench/harness/team.hpp"
#include "bench/report/result.hpp"

namespace fingerpost::bench {
namespace {

TEST(bench_statistics, quartiles_interpolate_as_numpy_does) {
    const quartiles odd = quartiles_of({5, 1, 4, 2, 3});
    EXPECT_DOUBLE_EQ(odd.q1, 2);
    EXPECT_DOUBLE_EQ(odd.median, 3);
    EXPECT_DOUBLE_EQ(odd.q3, 4);
    const quartiles even = quartiles_of({4, 1, 3, 2});
    EXPECT_DOUBLE_EQ(even.q1, 1.75);
    EXPECT_DOUBLE_EQ(even.median, 2.5);
    EXPECT_DOUBLE_EQ(even.q3, 3.25);
}

TEST(bench_statistics, one_sample_and_none) {
    const quartiles one = quartiles_of({7});
    EXPECT_DOUBLE_EQ(one.q1, 7);
    EXPECT_DOUBLE_EQ(one.median, 7);
    EXPECT_DOUBLE_EQ(one.q3, 7);
    EXPECT_DOUBLE_EQ(quartiles_of({}).median, 0);
}

lookup_row row(const std::string& scheme, std::size_t batch, const std::string& workload, double mlps) {
    lookup_row made;
    made.scheme = scheme;
    made.batch = batch;
    made.workload = workload;
    made.mode = "throughput";
    made.mlps = {mlps, mlps, mlps};
    made.mlps_rounds = {mlps};
    return made;
}

TEST(bench_statistics, ratios_are_to_the_best_batch_of_the_baseline) {
    std::vector<lookup_row> rows{row("base", 1, "match", 50), row("base", 8, "match", 100),
                                 row("other", 8, "match", 150), row("other", 8, "zipf", 150)};
    rows.push_back(row("other", 16, "match", 1));
    rows.back().wrong = 1;
    set_ratios(rows, "base");
    EXPECT_DOUBLE_EQ(rows[0].ratio.value_or(0), 0.5);
    EXPECT_DOUBLE_EQ(rows[1].ratio.value_or(0), 1.0);
    EXPECT_DOUBLE_EQ(rows[2].ratio.value_or(0), 1.5);
    EXPECT_FALSE(rows[3].ratio.has_value()) << "the baseline has no zipf row";
    EXPECT_FALSE(rows[4].ratio.has_value()) << "a wrong row has no speed";
}

TEST(bench_statistics, work_is_done_once_a_thread_after_its_preparation) {
    std::vector<unsigned> cpus = usable_cpus();
    ASSERT_FALSE(cpus.empty());
    // More threads than cores would only be slower, not wrong.
    cpus = {cpus.front(), cpus.back()};
    for (const std::size_t threads : {1U, 2U}) {
        std::vector<int> prepared(threads);
        std::vector<int> done(threads);
        const pass_time took = run_together(
            std::span(cpus).first(threads), [&](std::size_t i) { ++prepared[i]; },
            [&](std::size_t i) { done[i] += prepared[i]; });
        EXPECT_EQ(done, std::vector<int>(threads, 1));
        EXPECT_GE(took.seconds, 0);
    }
}

} // namespace
} // namespace fingerpost::bench
