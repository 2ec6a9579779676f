// The lookup benchmark with competitors that the test defines: wrong answers are detected, and reports are
// complete.
#include <gtest/gtest.h>

#include "bench/harness/measure_lookups.hpp"
#include "bench/harness/timing/team.hpp"
#include "bench/workloads/trace/traces.hpp"
#include "fingerpost/fib/make_entry.hpp"
#include "terminal/json_writer.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::bench::of_lookup {
namespace {

using A = ipv6_address;

enum class lie { nothing, single, batch };

// Answers like the oracle, except for addresses whose last byte in memory is zero.
template <lie L>
class witness {
  public:
    static expected<witness> build(const routes<A>& table, const build_options&) { return witness(table); }
    next_hop lookup(A a) const noexcept { return answer(a, L == lie::single); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = answer(in[i], L == lie::batch);
    }
    std::size_t memory_bytes() const { return 12345; }

  private:
    explicit witness(const routes<A>& table) : oracle_(table.sorted()) {}
    next_hop answer(A a, bool lies) const noexcept {
        return lies && (a.value & 0xff) == 0 ? next_hop{77} : oracle_.lookup(a);
    }
    oracle::by_parent<A> oracle_;
};

template <lie L>
competitor<A> make(const std::string& name) {
    return {name, "scalar", [](const routes<A>& table) -> expected<fib_pointer<A>> {
                auto made = erase_type<A>(std::move(*witness<L>::build(table, {})));
                made->set_long_routes(table.longer_than(first_half));
                return made;
            }};
}

competitor<A> unbuildable() {
    return {"unbuildable", "scalar",
            [](const routes<A>&) -> expected<fib_pointer<A>> { return unexpected{errc::capacity}; }};
}

routes<A> table() {
    testing::random_numbers random(3);
    return routes<A>(testing::clustered_table<A>(random, 200, 50));
}

lookup_settings settings() {
    lookup_settings s;
    s.workloads = {"match", "zipf"};
    s.batches = {1, 8};
    s.rounds = 3;
    s.round_ms = 1;
    s.addresses = 4000;
    s.cpus = usable_cpus();
    return s;
}

TEST(bench_lookup, right_competitors_get_a_row_for_every_case) {
    const auto found = measure_lookup<A>(table(), {make<lie::nothing>("one"), make<lie::nothing>("two")},
                                         settings(), {"t", "file", 6});
    // 2 competitors, 2 workloads, 2 batch sizes and latency.
    ASSERT_EQ(found.rows.size(), 12U);
    EXPECT_TRUE(found.wrong.empty());
    for (const lookup_row& row : found.rows) {
        EXPECT_TRUE(row.has_speed());
        EXPECT_EQ(row.mlps_rounds.size(), 3U);
        EXPECT_EQ(row.rounds, 3U);
        EXPECT_EQ(row.checked, 3U * 4000U) << "the whole trace, in three forms";
        EXPECT_EQ(row.bytes, 12345U);
        EXPECT_EQ(row.routes, table().size());
        EXPECT_LE(row.addresses_per_round, 4000U);
        EXPECT_GT(row.addresses_per_round, 0U);
        EXPECT_LE(row.mlps.q1, row.mlps.median);
        EXPECT_LE(row.mlps.median, row.mlps.q3);
        EXPECT_DOUBLE_EQ(row.by_statistic, row.mlps.median);
        EXPECT_EQ(row.mode == "latency" ? 1U : row.batch, row.batch);
    }
}

TEST(bench_lookup, halves_of_addresses_get_rows_of_their_own) {
    std::vector<route<A>> short_ones;
    for (const route<A>& r : table().sorted())
        if (r.where.length <= first_half)
            short_ones.push_back(r);
    const routes<A> up_to_64(short_ones);
    auto s = settings();
    s.first64 = s.halves = true;
    const auto found = measure_lookup<A>(up_to_64, {make<lie::nothing>("right"), make<lie::batch>("batch")},
                                         s, {"t", "file", 6});
    // 2 competitors, 2 workloads; 2 batch sizes for each form of input, and latency.
    ASSERT_EQ(found.rows.size(), 28U);
    for (const char* const mode : {"throughput", "first64", "halves"})
        EXPECT_EQ(std::count_if(found.rows.begin(), found.rows.end(),
                                [&](const lookup_row& row) { return row.mode == mode; }),
                  8)
            << mode;
    for (const lookup_row& row : found.rows) {
        EXPECT_EQ(row.checked, 7U * 4000U);
        EXPECT_EQ(row.has_speed(), row.scheme == "right") << row.mode;
    }
}

TEST(bench_lookup, the_place_of_the_trace_is_a_mode) {
    auto s = settings();
    s.latency = false;
    s.cached = s.streamed = true;
    const auto found = measure_lookup<A>(table(), {make<lie::nothing>("right"), make<lie::batch>("batch")}, s,
                                         {"t", "file", 6});
    // 2 competitors, 2 workloads, 2 batch sizes for each mode.
    ASSERT_EQ(found.rows.size(), 24U);
    for (const char* const mode : {"throughput", "cached", "streamed"})
        EXPECT_EQ(std::count_if(found.rows.begin(), found.rows.end(),
                                [&](const lookup_row& row) { return row.mode == mode; }),
                  8)
            << mode;
    for (const lookup_row& row : found.rows)
        EXPECT_EQ(row.has_speed(), row.scheme == "right") << row.mode;
}

// Missing answers count as wrong answers.
TEST(bench_lookup, first_halves_that_are_refused_are_not_timed) {
    auto s = settings();
    s.first64 = true;
    const auto found = measure_lookup<A>(table(), {make<lie::nothing>("one")}, s, {"t", "file", 6});
    EXPECT_EQ(found.wrong.size(), 2U);
    for (const lookup_row& row : found.rows)
        EXPECT_FALSE(row.has_speed());
}

TEST(bench_lookup, a_wrong_competitor_is_refused_and_the_others_are_not) {
    const auto found = measure_lookup<A>(
        table(), {make<lie::nothing>("right"), make<lie::single>("single"), make<lie::batch>("batch")},
        settings(), {"t", "file", 6});
    ASSERT_EQ(found.rows.size(), 18U);
    EXPECT_EQ(found.wrong.size(), 4U) << "two liars on two workloads";
    for (const lookup_row& row : found.rows) {
        EXPECT_GT(row.checked, 0U);
        EXPECT_EQ(row.wrong == 0, row.scheme == "right") << row.scheme;
        EXPECT_EQ(row.has_speed(), row.scheme == "right");
        if (row.scheme == "right")
            continue;
        EXPECT_TRUE(row.mlps_rounds.empty());
        EXPECT_FALSE(row.ratio.has_value());
    }
    lookup_report report{{}, found.rows};
    EXPECT_FALSE(report.all_right());
    EXPECT_NE(to_text(report).find("WRONG"), std::string::npos);
    EXPECT_NE(to_json(report).find("\"mlps_median\": null"), std::string::npos);
    EXPECT_NE(found.wrong.front().find(" instead of "), std::string::npos);
}

TEST(bench_lookup, what_cannot_be_measured_becomes_a_note) {
    const routes<A> empty;
    const auto found =
        measure_lookup<A>(empty, {unbuildable(), make<lie::nothing>("right")}, settings(), {"t", "file", 6});
    EXPECT_TRUE(found.rows.empty());
    EXPECT_EQ(found.notes.size(), 3U) << "one competitor and two workloads";
    EXPECT_EQ(to_text({{}, found.rows}), "nothing was measured\n");
}

TEST(bench_lookup, rows_are_judged_by_the_statistic) {
    auto s = settings();
    s.judged_by = statistic{0};
    const auto found = measure_lookup<A>(table(), {make<lie::nothing>("one")}, s, {"t", "file", 6});
    ASSERT_EQ(found.rows.size(), 6U);
    for (const lookup_row& row : found.rows)
        EXPECT_EQ(row.by_statistic, *std::max_element(row.mlps_rounds.begin(), row.mlps_rounds.end()));
}

TEST(bench_lookup, two_threads_share_a_fib) {
    auto s = settings();
    s.threads = {1, 2};
    s.cpus = {s.cpus.front(), s.cpus.back()};
    const auto found = measure_lookup<A>(table(), {make<lie::nothing>("one")}, s, {"t", "file", 6});
    ASSERT_EQ(found.rows.size(), 12U);
    EXPECT_EQ(
        std::count_if(found.rows.begin(), found.rows.end(), [](const auto& r) { return r.threads == 2; }), 6);
}

TEST(bench_lookup, a_trace_of_one_address_is_enough) {
    auto s = settings();
    s.addresses = 1;
    s.batches = {1, 64};
    const auto found = measure_lookup<A>(table(), {make<lie::nothing>("one")}, s, {"t", "file", 6});
    for (const lookup_row& row : found.rows)
        EXPECT_EQ(row.addresses_per_round, 1U);
}

TEST(bench_json, escapes_and_odd_numbers) {
    json_writer json;
    json.begin_object();
    json.member("quote\"back\\slash", "line\nend\x01 \xc3\xa9");
    json.member("infinite", 1.0 / 0.0);
    json.member("yes", true);
    json.member("whole", std::size_t{18446744073709551615U});
    json.member("none", std::vector<double>{});
    json.member("some", std::vector<double>{1.5, -2e-9});
    json.key("nothing");
    json.null();
    json.end_object();
    EXPECT_EQ(json.take(), "{\n"
                           "  \"quote\\\"back\\\\slash\": \"line\\u000aend\\u0001 \xc3\xa9\",\n"
                           "  \"infinite\": null,\n"
                           "  \"yes\": true,\n"
                           "  \"whole\": 18446744073709551615,\n"
                           "  \"none\": [],\n"
                           "  \"some\": [\n    1.5,\n    -2e-09\n  ],\n"
                           "  \"nothing\": null\n"
                           "}\n");
}

} // namespace
} // namespace fingerpost::bench::of_lookup
