// The descent without comparisons and the way back up: far from the address, past many routes that do not
// match.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "fingerpost/schemes/fib6_radix/fib6_radix.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_fib6_radix {
namespace {

template <class A>
class Fib6RadixEachWidth : public ::testing::Test {};
using widths = ::testing::Types<address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(Fib6RadixEachWidth, widths);

template <class A>
fib6_radix::fib<A> built(const rib<A>& truth) {
    auto made = fib6_radix::fib<A>::build(truth.to_routes());
    EXPECT_TRUE(made);
    return std::move(*made);
}

// Nodes test only bit 0 and bits from 5 on, because bits 1 to 4 are equal in all routes except the default.
TYPED_TEST(Fib6RadixEachWidth, GoesBackPastEveryRouteOfAWrongSubtree) {
    using A = TypeParam;
    random_numbers random(3);
    const A inside = random.template address<A>();
    rib<A> truth;
    ASSERT_TRUE(truth.insert(prefix<A>{}, {1000}));
    for (unsigned length = 5; length <= A::bits; ++length)
        ASSERT_TRUE(truth.insert(prefix<A>::make(inside, length), {length}));
    const auto fib = built(truth);
    const auto bit = static_cast<typename A::value_type>(typename A::value_type{1} << (A::bits - 3));
    const A astray{static_cast<typename A::value_type>(inside.value ^ bit)};
    std::size_t missed_routes = 0, downwards = 0;
    const auto count = [&](const trace_step& step) {
        missed_routes += step.with == compared::keys && step.result == outcome::missed ? 1 : 0;
        downwards += step.result == outcome::goes_on ? 1 : 0;
    };
    EXPECT_EQ(fib.trace(astray, count), next_hop{1000});
    EXPECT_EQ(downwards, A::bits - 4U) << "down to the longest route";
    EXPECT_EQ(missed_routes, A::bits - 4U) << "and past all of them";
}

TYPED_TEST(Fib6RadixEachWidth, TakesItsFormulaOfMemory) {
    using A = TypeParam;
    random_numbers random(5);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 4'000, 5)));
    const auto fib = built(truth);
    std::size_t nodes = 0, routes = 0, forks = 0;
    fib.visit([&](const structure_node<A>& n) {
        ++nodes;
        routes += n.kind == "route" ? 1 : 0;
        forks += n.kind == "fork" ? 1 : 0;
        EXPECT_EQ(n.bytes, A::bits <= 32 ? 24U : 48U);
        EXPECT_TRUE(n.kind != "fork" || n.children == 2);
    });
    EXPECT_EQ(routes, truth.size());
    EXPECT_LT(forks, routes);
    EXPECT_LE(nodes, routes + forks + 1);
}

TYPED_TEST(Fib6RadixEachWidth, SaysThatItsNodesHaveEnded) {
    using A = TypeParam;
    using tree = fib6_radix::fib<A>;
    rib<A> truth;
    ASSERT_TRUE(truth.insert(prefix<A>::make(A::first(), 4), {1}));
    ASSERT_TRUE(truth.insert(prefix<A>::make(A{static_cast<typename A::value_type>(1)}, A::bits), {2}));
    ASSERT_TRUE(truth.insert(prefix<A>::make(A{static_cast<typename A::value_type>(2)}, A::bits), {3}));
    expect_least<tree>(routes_of(truth), 5); // the root, the routes, and a fork
    auto fib = tree::build(truth.to_routes(), {}, 5);
    ASSERT_TRUE(fib);
    const auto told = truth.announce(prefix<A>::make(A::last(), A::bits), {4});
    ASSERT_TRUE(told);
    EXPECT_EQ(fib->apply(*told), errc::capacity);
}

// The tree on the page of this scheme.
TEST(fib6_radix, has_the_nodes_that_one_would_draw) {
    using A = ipv6_address;
    rib<A> truth;
    ASSERT_TRUE(truth.insert(leading<A>(1, 3), {1}));
    ASSERT_TRUE(truth.insert(leading<A>(0x20010db80000, 48), {2}));
    ASSERT_TRUE(truth.insert(leading<A>(0x20010db88000, 48), {3}));
    const auto seen_in = [](const fib6_radix::fib<A>& fib) {
        std::vector<std::tuple<unsigned, std::string, std::string, std::size_t>> seen;
        fib.visit([&](const structure_node<A>& n) {
            const unsigned length = common_length(n.first, n.last);
            seen.emplace_back(n.level, std::string(n.kind), text_of(n.first) + "/" + std::to_string(length),
                              n.children);
        });
        return seen;
    };
    auto fib = built(truth);
    decltype(seen_in(fib)) expected{{0, "root", "::/0", 1},
                                    {1, "route", "2000::/3", 1},
                                    {2, "fork", "2001:db8::/32", 2},
                                    {3, "route", "2001:db8::/48", 0},
                                    {3, "route", "2001:db8:8000::/48", 0}};
    EXPECT_EQ(seen_in(fib), expected);
    // A fork disappears with one of its sub-trees.
    const auto gone = truth.withdraw(leading<A>(0x20010db80000, 48));
    ASSERT_TRUE(gone);
    ASSERT_EQ(fib.apply(*gone), errc::ok);
    expected = {{0, "root", "::/0", 1}, {1, "route", "2000::/3", 1}, {2, "route", "2001:db8:8000::/48", 0}};
    EXPECT_EQ(seen_in(fib), expected);
}

} // namespace
} // namespace fingerpost::testing::of_fib6_radix
