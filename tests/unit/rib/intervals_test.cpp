// The sweep to elementary intervals, compared with a walk over every address; and errors known from other
// implementations.
#include <gtest/gtest.h>

#include "fingerpost/rib/intervals.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/tables/tiny_universe.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {
namespace {

template <class A>
interval_list<A> swept(const table<A>& routes) {
    return elementary_intervals<A>(std::span<const route<A>>(routes));
}

// The longest runs of equal answers, found address by address; for tiny widths.
template <class A>
interval_list<A> walked(const table<A>& routes) {
    const oracle::by_length<A> right(routes);
    interval_list<A> out;
    for (std::uint32_t i = 0; i <= A::last().value; ++i) {
        const next_hop hop = right.lookup(A{i});
        if (i > 0 && out.hops.back() == hop) {
            out.ends.back() = A{i};
        } else {
            out.ends.push_back(A{i});
            out.hops.push_back(hop);
        }
    }
    return out;
}

template <class A>
::testing::AssertionResult same_as_walked(const table<A>& routes) {
    const interval_list<A> got = swept<A>(routes);
    const interval_list<A> right = walked<A>(routes);
    if (got.ends == right.ends && got.hops == right.hops)
        return ::testing::AssertionSuccess();
    auto failure = ::testing::AssertionFailure() << "wrong intervals of\n" << text_of<A>(routes);
    for (std::size_t i = 0; i < got.size(); ++i)
        failure << "  to " << text_of(got.ends[i]) << " " << text_of(got.hops[i]) << "\n";
    return failure;
}

TEST(intervals, all_tables_of_three_routes_on_five_bits) {
    const tiny_universe<5> universe;
    std::size_t tables = 0;
    const std::size_t step = all_samples() ? 1 : 11;
    for (std::size_t number = 0; number < universe.size(); ++number)
        for (std::size_t pattern = 0; pattern < universe.patterns(number); ++pattern)
            if (tables++ % step == 0) {
                ASSERT_TRUE(same_as_walked<address<5>>(universe.at(number, pattern)));
            }
    RecordProperty("tables", std::to_string(tables));
    EXPECT_EQ(tables, 1 + 63 + 2 * 1953 + 5 * 39711U);
}

TEST(intervals, clustered_tables_on_ten_bits) {
    random_numbers random(30);
    for (std::size_t i = 0; i < scaled(3000); ++i)
        ASSERT_TRUE(same_as_walked<address<10>>(clustered_table<address<10>>(random, random.below(120), 3)));
}

TEST(intervals, count_what_merging_saves) {
    using A = address<16>;
    random_numbers random(31);
    std::size_t merged = 0;
    for (std::size_t i = 0; i < scaled(300); ++i) {
        table<A> routes = clustered_table<A>(random, random.below(120), 3);
        const interval_list<A> list = swept<A>(routes);
        for (std::size_t r = 0; r < routes.size(); ++r)
            routes[r].hop = next_hop{static_cast<std::uint32_t>(r)};
        const interval_list<A> unmerged = swept<A>(routes);
        ASSERT_EQ(unmerged.merged, 0U);
        ASSERT_EQ(list.size() + list.merged, unmerged.size());
        merged += list.merged;
    }
    EXPECT_GT(merged, 0U);
}

// The invariants of interval_list, on which every range scheme depends.
template <class A>
void check_promises(const table<A>& routes) {
    const interval_list<A> list = swept<A>(routes);
    ASSERT_GE(list.size(), 1U);
    ASSERT_EQ(list.ends.size(), list.hops.size());
    EXPECT_EQ(list.ends.back(), A::last());
    for (std::size_t i = 1; i < list.size(); ++i) {
        ASSERT_LT(list.ends[i - 1], list.ends[i]);
        ASSERT_NE(list.hops[i - 1], list.hops[i]);
    }
    const oracle::by_parent<A> right(routes);
    for (const A a : oracle::probes<A>(routes)) {
        const auto at = std::lower_bound(list.ends.begin(), list.ends.end(), a) - list.ends.begin();
        ASSERT_EQ(list.hops[static_cast<std::size_t>(at)], right.lookup(a)) << text_of(a);
    }
}

TEST(intervals, promises_hold_on_clustered_tables) {
    random_numbers random(31);
    for (std::size_t i = 0; i < scaled(300); ++i) {
        check_promises<ipv4_address>(clustered_table<ipv4_address>(random, random.below(300), 4));
        check_promises<ipv6_address>(clustered_table<ipv6_address>(random, random.below(300), 4));
        check_promises<ipv6_address>(clustered_table<ipv6_address>(random, random.below(300), 4));
    }
}

TEST(intervals, no_route_is_one_interval_of_none) {
    const auto list = swept<ipv6_address>({});
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list.ends[0], ipv6_address::last());
    EXPECT_EQ(list.hops[0], next_hop::none);
}

// Sorting edges by address and length puts the start of the /32 before the end of the /48, and a stack then
// pops the wrong one: all of 2001:db8::/32 answered 1 (found in planb-lpm, 0.65 % of a real table's lookups).
TEST(intervals, long_then_short_neighbours_keep_their_own_answers) {
    using A = ipv6_address;
    const auto list = swept<A>({{leading<A>(0x20010db7ffff, 48), {1}}, {leading<A>(0x20010db8, 32), {2}}});
    ASSERT_EQ(list.size(), 4U);
    EXPECT_EQ(list.hops[1], next_hop{1});
    EXPECT_EQ(list.ends[1], leading<A>(0x20010db7ffff, 48).last());
    EXPECT_EQ(list.hops[2], next_hop{2});
    EXPECT_EQ(list.ends[2], leading<A>(0x20010db8, 32).last());
    EXPECT_EQ(list.hops[3], next_hop::none);
}

// An exclusive end past the last address is 0, sorts first and pops the default route.
TEST(intervals, a_prefix_at_the_top_of_the_space_does_not_end_the_default_route) {
    using A = ipv6_address;
    const auto list = swept<A>({{leading<A>(0, 0), {7}}, {leading<A>(0xff, 8), {8}}});
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list.ends[0].value, leading<A>(0xff, 8).base.value - 1);
    EXPECT_EQ(list.hops[0], next_hop{7});
    EXPECT_EQ(list.hops[1], next_hop{8});
}

TEST(intervals, nested_prefixes_that_all_end_at_the_last_address) {
    using A = ipv4_address;
    table<A> routes;
    for (unsigned length = 0; length <= A::bits; ++length)
        routes.push_back({prefix<A>::make(A::last(), length), {length}});
    const auto list = swept<A>(sorted(routes));
    ASSERT_EQ(list.size(), A::bits + 1);
    EXPECT_EQ(list.ends[31].value, 0xfffffffeU);
    EXPECT_EQ(list.hops[32], next_hop{32});
}

TEST(intervals, equal_neighbours_become_one) {
    using A = ipv4_address;
    EXPECT_EQ(swept<A>({{leading<A>(0, 1), {5}}, {leading<A>(1, 1), {5}}}).size(), 1U);
    EXPECT_EQ(swept<A>({{leading<A>(0, 0), {5}}, {leading<A>(10, 8), {5}}}).size(), 1U);
    EXPECT_EQ(swept<A>({{leading<A>(0, 0), {5}}, {leading<A>(10, 8), {6}}}).size(), 3U);
    // Hole punching: the middle interval must not be lost between equal next hops.
    const auto list = swept<A>(
        {{leading<A>(0x0a00, 16), {5}}, {leading<A>(0x0a0001, 24), {6}}, {leading<A>(0x0a000100, 32), {5}}});
    ASSERT_EQ(list.size(), 5U);
    EXPECT_EQ(list.ends[1].value, 0x0a000100U);
    EXPECT_EQ(list.hops[2], next_hop{6});
}

} // namespace
} // namespace fingerpost::testing
