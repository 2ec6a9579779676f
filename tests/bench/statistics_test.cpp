// Quartiles, ratios and the clocks of the benchmark harness.
#include <gtest/gtest.h>

#include "bench/harness/timing/clock.hpp"
#include "bench/harness/timing/team.hpp"
#include "bench/measured/lookup_result.hpp"

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
    made.by_statistic = mlps;
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

TEST(bench_statistics, a_share_of_the_rounds_took_less_time) {
    const std::vector<double> speeds = {30, 10, 50, 20, 40};
    EXPECT_DOUBLE_EQ(statistic{}.of_speeds(speeds), 30);
    EXPECT_DOUBLE_EQ(statistic{0}.of_speeds(speeds), 50) << "the fastest";
    EXPECT_DOUBLE_EQ(statistic{0.25}.of_speeds(speeds), 40) << "a quarter of the rounds were faster";
    EXPECT_DOUBLE_EQ(statistic{0.125}.of_speeds(speeds), 45);
    EXPECT_DOUBLE_EQ(statistic{1}.of_speeds(speeds), 10);
    EXPECT_DOUBLE_EQ(statistic{}.of_speeds({7}), 7);
    EXPECT_DOUBLE_EQ(statistic{}.of_speeds({}), 0);
}

TEST(bench_statistics, statistics_have_names) {
    for (const char* const text : {"median", "best", "quantile:0.25", "quantile:1", "quantile:0.9"}) {
        const auto read = parse_statistic(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(name_of(*read), text);
    }
    EXPECT_EQ(parse_statistic("median")->share, 0.5);
    EXPECT_EQ(parse_statistic("best")->share, 0);
    EXPECT_EQ(name_of(*parse_statistic("quantile:0.5")), "median");
    EXPECT_EQ(name_of(*parse_statistic("quantile:0")), "best");
    for (const char* const text :
         {"", "mean", "Median", "best ", "quantile", "quantile:", "quantile:x", "quantile:-0.1",
          "quantile:1.1", "quantile:nan", "quantile:0.5x", "quantile: 0.5", "quantile:+0.5"})
        EXPECT_FALSE(parse_statistic(text)) << text;
}

TEST(bench_statistics, the_default_scheme_is_compared_with_the_best_other_call_by_call) {
    std::vector<lookup_row> rows{row("usual", 1, "match", 50),       row("usual", 8, "match", 100),
                                 row("usual:wide", 8, "match", 400), row("usually", 8, "match", 120),
                                 row("third", 8, "match", 150),      row("third", 1, "match", 25),
                                 row("third", 8, "zipf", 70),        row("usual", 64, "zipf", 70)};
    rows.push_back(row("wrong", 8, "match", 1000));
    rows.back().wrong = 1;
    // Each runs with a second instruction set too; the faster one counts.
    rows.push_back(row("usual", 8, "match", 200));
    rows.push_back(row("third", 1, "match", 75));
    rows.back().isa = "fast";
    const auto found = best_others(rows, "usual");
    ASSERT_EQ(found.size(), 2U) << "no call of zipf has both";
    EXPECT_EQ(found[0].batch, 1U);
    EXPECT_EQ(found[0].scheme, "third");
    EXPECT_EQ(found[0].isa, "fast");
    EXPECT_DOUBLE_EQ(found[0].ratio, 1.5);
    EXPECT_EQ(found[1].batch, 8U);
    EXPECT_EQ(found[1].workload, "match");
    EXPECT_EQ(found[1].scheme, "third");
    EXPECT_DOUBLE_EQ(found[1].ratio, 0.75);
    EXPECT_TRUE(best_others(rows, "absent").empty());

    lookup_report report{{}, rows, "usual", found};
    const std::string text = to_text(report);
    EXPECT_NE(text.find("Best other / usual: "), std::string::npos) << text;
    EXPECT_NE(text.find("1.50 third"), std::string::npos) << text;
    EXPECT_NE(text.find("0.75 third"), std::string::npos) << text;
    const std::string json = to_json(report);
    EXPECT_NE(json.find("\"default_scheme\": \"usual\""), std::string::npos) << json;
    EXPECT_NE(json.find("\"ratio\": 0.75"), std::string::npos) << json;
    report.others.clear();
    EXPECT_EQ(to_text(report).find("Best other"), std::string::npos);
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
