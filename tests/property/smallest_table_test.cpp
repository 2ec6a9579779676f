// A table and its aggregate give the same next-hop name for every address, after the aggregate was written as
// text and read back. Aggregating the aggregate changes nothing.
#include "cli/aggregate/smallest_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/answers/route_text.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/real_data.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/tables/text_tables.hpp"

namespace fingerpost::cli::of_smallest_table {
namespace {

using namespace fingerpost::testing;

template <class A>
std::string text_of_routes(const std::vector<route<A>>& routes, const io::loaded_table<A>& names) {
    std::string text;
    for (const route<A>& r : routes)
        append_route(r.where, names.values[r.hop], text);
    return text;
}

template <class A>
void expect_same_answers(const io::loaded_table<A>& one, const io::loaded_table<A>& other) {
    const oracle::by_parent<A> first(one.routes), second(other.routes);
    std::vector<route<A>> both = one.routes;
    both.insert(both.end(), other.routes.begin(), other.routes.end());
    const auto name = [](const io::loaded_table<A>& table, next_hop hop) {
        return hop == next_hop::none ? std::string_view("no route") : table.values[hop];
    };
    for (const A a : oracle::probes<A>(both)) {
        const next_hop x = first.lookup(a), y = second.lookup(a);
        ASSERT_EQ(x == next_hop::none, y == next_hop::none) << text_of(a);
        ASSERT_EQ(name(one, x), name(other, y)) << text_of(a);
    }
}

// Checks the table and returns its aggregate.
template <class A>
io::loaded_table<A> expect_aggregate(const io::loaded_table<A>& table) {
    const std::string text = text_of_routes(smallest_table(table), table);
    io::loaded_table<A> small = read_table<A>(text);
    EXPECT_EQ(small.counts.duplicates, 0U);
    EXPECT_LE(small.routes.size(), table.routes.size());
    expect_same_answers(table, small);
    EXPECT_EQ(text_of_routes(smallest_table(small), small), text) << "aggregating again changed something";
    return small;
}

// Few names, so that neighbours share them, on lines in random order, so that the numbering of names varies.
template <class A>
std::string random_table(random_numbers& random) {
    static constexpr std::string_view names[] = {"", "b", "a", "192.0.2.1", "10", "9"};
    clustered_prefixes<A> prefixes(random);
    const auto few = 1 + random.below(std::size(names));
    std::string text;
    for (std::uint64_t left = random.below(200); left > 0; --left)
        append_route(prefixes.next(), names[random.below(few)], text);
    return text;
}

template <class A>
class smallest_tables : public ::testing::Test {};
using families = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(smallest_tables, families);

TYPED_TEST(smallest_tables, AnswerAsTheTablesDo) {
    random_numbers random(23);
    std::size_t smaller = 0;
    for (std::size_t round = 0; round < scaled(1000); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        const auto table = read_table<TypeParam>(random_table<TypeParam>(random));
        const auto small = expect_aggregate(table);
        smaller += small.routes.size() < table.routes.size() ? 1U : 0U;
        if (::testing::Test::HasFailure())
            return;
    }
    EXPECT_GE(smaller, scaled(500));
}

// The order of lines determines the numbers of names, but must not change the result.
TYPED_TEST(smallest_tables, DependOnAnswersAndNamesAlone) {
    const auto half = [](unsigned side) {
        return prefix<TypeParam>::make(side == 0 ? TypeParam{} : TypeParam::last(), 1);
    };
    std::string one, other;
    append_route(half(0), "x", one);
    append_route(half(1), "y", one);
    append_route(half(1), "y", other);
    append_route(half(0), "x", other);
    const auto first = read_table<TypeParam>(one), second = read_table<TypeParam>(other);
    ASSERT_NE(first.routes[0].hop, second.routes[0].hop);
    const std::string text = text_of_routes(smallest_table(first), first);
    EXPECT_EQ(text, text_of_routes(smallest_table(second), second));
    const std::string all = to_string(prefix<TypeParam>::make(TypeParam{}, 0));
    EXPECT_EQ(text, all + " x\n" + to_string(half(1)) + " y\n");
}

// Runs with the next hops of the file, and with a few that blocks of neighbours share.
class real_smallest : public ::testing::TestWithParam<const char*> {};

TEST_P(real_smallest, AnswersAsTheTableDoes) {
    auto loaded = load_real_table(GetParam());
    if (!loaded)
        return;
    auto& table = std::get<io::loaded_table<ipv6_address>>(*loaded);
    expect_aggregate(table);
    std::string dealt;
    for (std::size_t i = 0; i < table.routes.size(); ++i)
        append_route(table.routes[i].where, std::to_string(i / 3 % 40), dealt);
    const auto few = read_table<ipv6_address>(dealt);
    EXPECT_LT(expect_aggregate(few).routes.size(), few.routes.size());
}
INSTANTIATE_TEST_SUITE_P(internet, real_smallest, ::testing::Values("ipv6", "tier1-v6", "ipv6-2014-linx"),
                         [](const auto& one) { return test_name_of(one.param); });

} // namespace
} // namespace fingerpost::cli::of_smallest_table
