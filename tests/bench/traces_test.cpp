// The workloads contain the addresses that their descriptions promise. Equal seeds give equal addresses.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/workloads/trace/traces.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::bench::of_traces {
namespace {

using testing::leading;

template <class A>
class bench_traces : public ::testing::Test {
  public:
    static constexpr std::size_t count = 20000;

    // Routes of several lengths, some nested and some apart, with gaps between them.
    static routes<A> table() {
        testing::random_numbers random(7);
        testing::table<A> made;
        // 0x2... is within 2000::/3 and within unicast IPv4, so both families have all kinds of addresses.
        for (std::uint32_t i = 0; i < 300; ++i) {
            const unsigned length = 8 + static_cast<unsigned>(random.below(17));
            const u128 bits = u128{1} << (length - 3) | random.below(std::uint64_t{1} << (length - 3));
            made.push_back({leading<A>(bits, length), {i}});
        }
        return routes<A>(testing::sorted(std::move(made)));
    }
    static std::vector<A> trace(std::string_view name, const routes<A>& t, std::uint64_t seed = 1) {
        auto made = make_trace<A>(name, t, count, seed);
        if (!made)
            return {};
        return {made->begin(), made->end()};
    }
    // The route that is the longest match of an address.
    static const route<A>* decides(const routes<A>& t, A a) {
        const route<A>* best = nullptr;
        for (const route<A>& r : t.sorted())
            if (r.where.contains(a))
                best = &r;
        return best;
    }
};
using families = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(bench_traces, families);

TYPED_TEST(bench_traces, every_workload_is_deterministic_by_seed) {
    const auto table = TestFixture::table();
    for (const workload_facts& facts : workloads()) {
        SCOPED_TRACE(facts.name);
        const auto once = TestFixture::trace(facts.name, table);
        ASSERT_EQ(once.size(), TestFixture::count);
        EXPECT_EQ(once, TestFixture::trace(facts.name, table));
        EXPECT_NE(once, TestFixture::trace(facts.name, table, 2));
        EXPECT_FALSE(facts.summary.empty());
    }
}

TYPED_TEST(bench_traces, match_addresses_match_and_reach_every_route) {
    const auto table = TestFixture::table();
    std::set<std::uint32_t> seen;
    for (const auto a : TestFixture::trace("match", table)) {
        const auto* r = TestFixture::decides(table, a);
        ASSERT_NE(r, nullptr);
        seen.insert(r->hop.id);
    }
    EXPECT_GT(seen.size(), table.size() * 9 / 10);
}

TYPED_TEST(bench_traces, missing_addresses_miss) {
    const auto table = TestFixture::table();
    for (const auto a : TestFixture::trace("miss", table))
        ASSERT_EQ(TestFixture::decides(table, a), nullptr);
}

TYPED_TEST(bench_traces, a_default_route_takes_the_misses) {
    testing::table<TypeParam> with_default{{leading<TypeParam>(0, 0), {1}}, {leading<TypeParam>(2, 3), {2}}};
    const routes<TypeParam> table(with_default);
    for (const auto a : TestFixture::trace("miss", table))
        ASSERT_EQ(TestFixture::decides(table, a)->where.length, 0);
}

TYPED_TEST(bench_traces, short_and_deepest_end_at_the_ends_of_the_lengths) {
    const auto table = TestFixture::table();
    const auto lengths = [&](std::string_view name) {
        std::set<unsigned> found;
        for (const auto a : TestFixture::trace(name, table))
            found.insert(TestFixture::decides(table, a)->where.length);
        return found;
    };
    const auto shortest = lengths("short");
    const auto longest = lengths("deepest");
    EXPECT_EQ(*shortest.begin(), 8U);
    EXPECT_EQ(*longest.rbegin(), 24U);
    EXPECT_LT(*shortest.rbegin(), *longest.begin());
}

TYPED_TEST(bench_traces, boundaries_are_ends_and_starts_of_intervals_and_their_neighbours) {
    const auto table = TestFixture::table();
    std::set<typename TypeParam::value_type> ends;
    for (const auto end : table.intervals().ends)
        ends.insert(end.value);
    std::map<int, std::size_t> seen;
    for (const auto a : TestFixture::trace("boundaries", table)) {
        int nearest = 9;
        for (int off = -1; off <= 2; ++off)
            if (ends.count(static_cast<typename TypeParam::value_type>(
                    a.value - static_cast<typename TypeParam::value_type>(off))) != 0 ||
                (off > 0 && a.value == static_cast<typename TypeParam::value_type>(off - 1)))
                nearest = off;
        ASSERT_NE(nearest, 9);
        ++seen[nearest];
    }
    EXPECT_EQ(seen.size(), 4U);
}

TYPED_TEST(bench_traces, zipf_is_skewed_as_zipf_is) {
    std::map<typename TypeParam::value_type, std::size_t> uses;
    const auto table = TestFixture::table();
    for (const auto a : TestFixture::trace("zipf", table))
        ++uses[a.value];
    std::vector<std::size_t> sorted;
    for (const auto& [a, n] : uses)
        sorted.push_back(n);
    std::sort(sorted.rbegin(), sorted.rend());
    // The harmonic number of 2^20 is 14.44, so rank 1 is drawn with probability 1/14.44 and rank 10 with
    // 1/144.4.
    const double first = static_cast<double>(TestFixture::count) / 14.44;
    EXPECT_NEAR(static_cast<double>(sorted[0]), first, 0.15 * first);
    EXPECT_NEAR(static_cast<double>(sorted[9]), first / 10, 0.35 * first / 10);
    EXPECT_GT(sorted.size(), TestFixture::count / 4) << "the tail is long";
}

TYPED_TEST(bench_traces, hot_has_64_addresses_and_sequential_ascends) {
    const auto table = TestFixture::table();
    const auto hot = TestFixture::trace("hot", table);
    std::set<typename TypeParam::value_type> distinct;
    for (const auto a : hot)
        distinct.insert(a.value);
    EXPECT_EQ(distinct.size(), 64U);
    const auto ascending = TestFixture::trace("sequential", table);
    EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
}

TYPED_TEST(bench_traces, uniform_stays_in_unicast_space_and_fills_it) {
    const routes<TypeParam> empty;
    std::set<unsigned> tops;
    for (const auto a : TestFixture::trace("uniform", empty))
        tops.insert(static_cast<unsigned>(slice(a, 0, 8)));
    EXPECT_EQ(*tops.begin(), TypeParam::bits == 32 ? 1U : 0x20U);
    EXPECT_EQ(*tops.rbegin(), TypeParam::bits == 32 ? 223U : 0x3fU);
}

TYPED_TEST(bench_traces, what_a_table_lacks_is_an_error) {
    const routes<TypeParam> empty;
    const auto fault = [&](std::string_view name, const routes<TypeParam>& table) {
        const auto made = make_trace<TypeParam>(name, table, 10, 1);
        return made ? errc::ok : made.error();
    };
    for (const std::string_view name : {"match", "zipf", "short", "deepest", "sequential", "hot"})
        EXPECT_EQ(fault(name, empty), errc::not_found) << name;
    EXPECT_EQ(fault("miss", empty), errc::ok);
    EXPECT_EQ(fault("boundaries", empty), errc::ok);
    EXPECT_EQ(fault("no such workload", empty), errc::invalid);
    const routes<TypeParam> full({{leading<TypeParam>(0, 1), {1}}, {leading<TypeParam>(1, 1), {2}}});
    EXPECT_EQ(fault("miss", full), errc::not_found);
}

} // namespace
} // namespace fingerpost::bench::of_traces
