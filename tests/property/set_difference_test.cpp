// The difference of two sets of addresses: compared with painted addresses in tiny spaces, and with lookups
// in both tables otherwise.
#include "cli/aggregate/set_difference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/aggregated.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_set_difference {
namespace {

using cli::set_difference;

// The answer for every address of a tiny space, found by painting the routes, the shortest first.
template <class A>
std::vector<next_hop> painted(table<A> routes) {
    std::stable_sort(routes.begin(), routes.end(),
                     [](const auto& a, const auto& b) { return a.where.length < b.where.length; });
    std::vector<next_hop> out(std::size_t{1} << A::bits, next_hop::none);
    for (const auto& [where, hop] : routes)
        std::fill_n(out.begin() + where.base.value, std::size_t{1} << (A::bits - where.length), hop);
    return out;
}

template <class A>
::testing::AssertionResult is_right(const table<A>& kept, const table<A>& gone) {
    const table<A> left = set_difference<A>(kept, gone);
    std::vector<next_hop> wanted = painted<A>(kept);
    const std::vector<next_hop> removed = painted<A>(gone);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i] = removed[i] == next_hop::none ? wanted[i] : next_hop::none;
    if (well_formed(left) && painted<A>(left) == wanted)
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << text_of<A>(std::span<const route<A>>(kept)) << "  without\n"
                                         << text_of<A>(std::span<const route<A>>(gone)) << "  became\n"
                                         << text_of<A>(std::span<const route<A>>(left));
}

// All prefixes, in prefix order.
template <class A>
std::vector<prefix<A>> all_prefixes() {
    std::vector<prefix<A>> made;
    for (unsigned length = 0; length <= A::bits; ++length)
        for (std::uint32_t bits = 0; bits < 1U << length; ++bits)
            made.push_back(leading<A>(bits, length));
    std::sort(made.begin(), made.end());
    return made;
}

// The table that is encoded in `number`: its digit i to the base `choices` is the next hop of prefix i, and 0
// means no route.
template <class A>
table<A> numbered(const std::vector<prefix<A>>& prefixes, std::uint64_t number, std::uint32_t choices) {
    table<A> made;
    for (const prefix<A>& where : prefixes) {
        if (number % choices != 0)
            made.push_back({where, {static_cast<std::uint32_t>(number % choices)}});
        number /= choices;
    }
    return made;
}

// 3^7 tables with two next hops, minus each of the 2^7 sets.
TEST(set_difference, every_pair_of_tables_on_two_bits) {
    using A = address<2>;
    const auto prefixes = all_prefixes<A>();
    std::size_t pairs = 0;
    for (std::uint64_t kept = 0; kept < 2187; ++kept) {
        const table<A> from = numbered(prefixes, kept, 3);
        for (std::uint64_t gone = 0; gone < 128; ++gone, ++pairs)
            ASSERT_TRUE(is_right(from, numbered(prefixes, gone, 2)));
    }
    EXPECT_EQ(pairs, 279'936U);
}

// The number of prefixes needed to cover exactly these addresses: one, or the sum for both halves.
std::size_t fewest_prefixes(std::span<const next_hop> answers) {
    const auto has = [](next_hop hop) { return hop != next_hop::none; };
    if (std::none_of(answers.begin(), answers.end(), has))
        return 0;
    if (std::all_of(answers.begin(), answers.end(), has))
        return 1;
    const std::size_t half = answers.size() / 2;
    return fewest_prefixes(answers.first(half)) + fewest_prefixes(answers.subspan(half));
}

// Every list of networks minus a random one. Aggregating the result gives the shortest list.
TEST(set_difference, every_list_on_three_bits) {
    using A = address<3>;
    const auto prefixes = all_prefixes<A>();
    random_numbers random(5);
    for (std::uint64_t kept = 0; kept < 1U << 15; ++kept) {
        const table<A> from = numbered(prefixes, kept, 2);
        const table<A> without = numbered(prefixes, random.below(1U << 15), 2);
        ASSERT_TRUE(is_right(from, without));
        const table<A> left = set_difference<A>(from, without);
        ASSERT_EQ(aggregated(left).size(), fewest_prefixes(painted<A>(left)));
    }
}

template <class A>
void clustered_tables_lose_the_addresses(std::size_t count) {
    random_numbers random(90 + A::bits);
    std::size_t lost = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto hops = static_cast<std::uint32_t>(1 + random.below(4));
        const table<A> kept = clustered_table<A>(random, random.below(60), hops);
        const table<A> gone = clustered_table<A>(random, random.below(20), 1);
        ASSERT_TRUE(is_right(kept, gone));
        lost += set_difference<A>(kept, gone) != kept ? 1U : 0U;
    }
    EXPECT_GE(lost, count / 2);
}

TEST(set_difference, clustered_tables_lose_the_addresses) {
    clustered_tables_lose_the_addresses<address<4>>(scaled(5000));
    clustered_tables_lose_the_addresses<address<8>>(scaled(5000));
    clustered_tables_lose_the_addresses<address<11>>(scaled(1000));
}

// Compares at the boundaries of all routes of the three tables.
template <class A>
void large_spaces_lose_the_addresses() {
    random_numbers random(95);
    for (std::size_t i = 0; i < scaled(500); ++i) {
        const table<A> kept = clustered_table<A>(random, random.below(200), 3);
        const table<A> gone = clustered_table<A>(random, random.below(50), 1);
        const table<A> left = set_difference<A>(kept, gone);
        ASSERT_TRUE(well_formed(left));
        table<A> all = kept;
        all.insert(all.end(), gone.begin(), gone.end());
        all.insert(all.end(), left.begin(), left.end());
        const oracle::by_parent<A> before(kept), removed(gone), after(left);
        for (const A a : oracle::probes<A>(sorted<A>(std::move(all)))) {
            const next_hop wanted =
                removed.lookup(a) == next_hop::none ? before.lookup(a) : next_hop(next_hop::none);
            ASSERT_EQ(after.lookup(a), wanted) << text_of(a);
        }
    }
}

TEST(set_difference, large_spaces_lose_the_addresses) {
    large_spaces_lose_the_addresses<ipv4_address>();
    large_spaces_lose_the_addresses<ipv6_address>();
}

TEST(set_difference, nothing_and_everything) {
    using A = ipv6_address;
    const table<A> everything{{{}, {7}}};
    EXPECT_EQ(set_difference<A>({}, everything), table<A>{});
    EXPECT_EQ(set_difference<A>(everything, {}), everything);
    EXPECT_EQ(set_difference<A>(everything, everything), table<A>{});
    // Removing one address from ::/0 leaves a prefix of each length.
    const table<A> last{{prefix<A>::make(A::last(), A::bits), {0}}};
    const table<A> left = set_difference<A>(everything, last);
    ASSERT_EQ(left.size(), std::size_t{A::bits});
    EXPECT_EQ(left.front().where.length, 1);
    EXPECT_EQ(left.back().where,
              prefix<A>::make(A{static_cast<A::value_type>(A::last().value - 1)}, A::bits));
}

} // namespace
} // namespace fingerpost::testing::of_set_difference
