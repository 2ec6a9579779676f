// The update benchmark: every scheme with every policy gets a complete row, and a wrong table gets none.
#include "bench/harness/measure_updates.hpp"

#include <gtest/gtest.h>

#include "bench/harness/amortised.hpp"
#include "bench/harness/measure_update_case.hpp"
#include "bench/harness/timing/team.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::bench {
namespace {

using A = ipv6_address;

std::vector<route<A>> some_table() {
    testing::random_numbers random(11);
    return testing::clustered_table<A>(random, 400, 40);
}

update_settings settings(std::size_t readers) {
    update_settings s;
    s.bursts = {1, 8, 10'000};
    s.changes = 100;
    s.rounds = 2;
    s.turns = readers > 0 || testing::all_samples() ? 2 : 1;
    s.round_ms = 0.5;
    s.addresses = 2000;
    const std::vector<unsigned> cpus = usable_cpus();
    // Readers may share the writer's core here, so times are not checked.
    for (std::size_t i = 0; i <= readers; ++i)
        s.cpus.push_back(cpus[i % cpus.size()]);
    return s;
}

std::vector<live_competitor> everyone() {
    auto found = choose_live<A>({{"all"}, {"rebuild", "left_right", "in_place"}});
    EXPECT_TRUE(found.has_value());
    return found ? found->chosen : std::vector<live_competitor>{};
}

live_competitor patched() {
    for (const live_competitor& one : everyone())
        if (one.how == policy::left_right)
            return one;
    ADD_FAILURE() << "no scheme can be patched";
    return {};
}

TEST(bench_update, every_competitor_gets_a_row_a_workload) {
    for (const std::size_t readers : {0U, 1U}) {
        const auto s = settings(readers);
        // Readers affect all schemes alike, so one scheme is enough.
        const std::vector<live_competitor> chosen =
            readers > 0 && !testing::all_samples() ? std::vector{patched()} : everyone();
        const auto found = measure_updates<A>(some_table(), {}, chosen, s, "t");
        EXPECT_TRUE(found.wrong.empty()) << (found.wrong.empty() ? "" : found.wrong.front());
        EXPECT_TRUE(found.notes.empty()) << (found.notes.empty() ? "" : found.notes.front());
        ASSERT_EQ(found.rows.size(), chosen.size() * s.workloads.size());
        for (const update_row& row : found.rows) {
            EXPECT_TRUE(row.has_numbers());
            EXPECT_GT(row.checked, 0U);
            // In other workloads a longer prefix may hide the one that changes; the generated table depends
            // on the compiler.
            EXPECT_TRUE(row.workload != "churn" || !row.visible_us.empty());
            EXPECT_TRUE(std::is_sorted(row.visible_us.begin(), row.visible_us.end()));
            EXPECT_GE(row.singles, row.visible_us.size());
            EXPECT_EQ(row.turns, s.turns);
            ASSERT_EQ(row.fastest_us.size(), row.visible_us.size()) << "every turn makes the same changes";
            EXPECT_TRUE(std::is_sorted(row.fastest_us.begin(), row.fastest_us.end()));
            for (std::size_t i = 0; i < row.fastest_us.size(); ++i)
                EXPECT_LE(row.fastest_us[i], row.visible_us[i]) << "the fastest of turns that has this one";
            EXPECT_EQ(row.seen_by_reader, readers != 0);
            EXPECT_GT(row.peak_bytes, 0U);
            EXPECT_EQ(row.bursts.size(), row.workload == "churn" ? 3U : 1U) << "no more than prefixes";
            for (const burst_row& burst : row.bursts) {
                EXPECT_EQ(burst.rates.size(), s.rounds);
                EXPECT_GE(burst.commits, s.rounds);
                EXPECT_LE(burst.deferred, burst.commits);
                EXPECT_EQ(burst.loss_percent.has_value(), readers != 0);
            }
        }
    }
}

TEST(bench_update, reports_say_everything) {
    auto found = measure_updates<A>(some_table(), {}, {patched()}, settings(0), "t");
    ASSERT_EQ(found.rows.size(), 4U);
    found.rows[1].wrong = 1;
    const update_report report{{}, found.rows};
    EXPECT_FALSE(report.all_right());
    const std::string json = to_json(report);
    EXPECT_NE(json.find("\"reader_loss_percent\": null"), std::string::npos) << "nobody reads";
    EXPECT_NE(json.find("\"changes_per_second\": null"), std::string::npos) << "the wrong one";
    const std::string text = to_text(report);
    EXPECT_NE(text.find("WRONG"), std::string::npos);
    EXPECT_NE(text.find("left_right"), std::string::npos);
    EXPECT_EQ(to_text(update_report{}), "nothing was measured\n");
}

// The table has an additional route, unknown to the benchmark, exactly where the list makes its changes.
TEST(bench_update, a_wrong_table_is_not_timed) {
    const auto sorted = some_table();
    auto made = make_updates<A>("flap48", sorted, 100, 1);
    ASSERT_TRUE(made);
    auto live = table<A>::create();
    ASSERT_TRUE(live && live->assign(sorted));
    const prefix<A> where = made->steps.front().where;
    ASSERT_LT(where.length, 128);
    ASSERT_EQ(live->announce(prefix<A>::make(where.base, 128), {54321}), errc::ok);
    const auto s = settings(0);
    update_row row;
    const std::vector<A> trace(10);
    const auto fault = update_case<A>(*live, sorted, *made, s, row).run(trace);
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->find("54321 instead of "), std::string::npos) << *fault;
    EXPECT_EQ(row.wrong, 1U);
    EXPECT_FALSE(row.has_numbers());
    EXPECT_TRUE(row.visible_us.empty());
    EXPECT_TRUE(row.bursts.empty());
}

TEST(bench_update, names_of_schemes_and_policies) {
    const auto automatic = choose_live<A>({{"default"}, {"auto", "rebuild"}});
    ASSERT_TRUE(automatic);
    for (const live_competitor& one : automatic->chosen)
        EXPECT_NE(one.how, policy::automatic);
    EXPECT_TRUE(automatic->notes.empty());
    const auto in_place = choose_live<A>({{"all"}, {"in_place"}});
    ASSERT_TRUE(in_place);
    EXPECT_EQ(in_place->chosen.size() + in_place->notes.size(), schemes<A>().size());
    EXPECT_NE(choose_live<A>({{"nosuch"}, {"auto"}}).error().find(default_scheme<A>().facts.name),
              std::string::npos);
    EXPECT_NE(choose_live<A>({{"all"}, {"nosuch"}}).error().find("left_right"), std::string::npos);
}

TEST(bench_amortised, a_row_a_batch_and_a_row_a_build) {
    amortised_settings s;
    s.changes = 400;
    s.batches = {1, 4, 16, 1'000'000};
    s.rounds = 2;
    s.round_ms = 0.2;
    amortised_results found;
    measure_batches<A>(some_table(), everyone(), s, "t", found);
    EXPECT_EQ(found.batches.size(), 3 * everyone().size());
    for (const batch_row& row : found.batches) {
        EXPECT_TRUE(row.has_numbers());
        EXPECT_GT(row.checked, 0U);
        EXPECT_GT(row.us_per_change.median, 0);
    }
    measure_rebuilds<A>(some_table(), everyone(), 2, "t", found);
    EXPECT_EQ(found.rebuilds.size(), schemes<A>().size());
    EXPECT_TRUE(found.wrong.empty());
    const std::string text = to_text(amortised_report{{}, found.batches, found.rebuilds});
    EXPECT_NE(text.find("Milliseconds per full build"), std::string::npos);
    EXPECT_EQ(growing_batches(20), (std::vector<std::size_t>{1, 4, 16, 20}));
    EXPECT_EQ(growing_batches(1), (std::vector<std::size_t>{1}));
}

} // namespace
} // namespace fingerpost::bench
