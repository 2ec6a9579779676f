// The tree of Hi-BST: its order, the routes around an address, the number of routes that a lookup visits, and
// its limits.
#include <gtest/gtest.h>

#include <stdexcept>

#include "fingerpost/schemes/hi_bst/hi_bst.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_hi_bst {
namespace {

template <class A>
struct steps {
    std::size_t keys = 0;
    std::size_t routes = 0;
    next_hop hop;
};
template <class A>
steps<A> steps_of(const hi_bst::fib<A>& fib, A a) {
    steps<A> seen;
    seen.hop = fib.trace(a, [&](const trace_step& step) {
        seen.keys += step.part == "keys";
        seen.routes += step.part == "routes";
    });
    return seen;
}

// The climb ends at the first route that contains the address, or after all of them.
TEST(HiBst, ClimbsFromTheLastRouteBeforeTheAddress) {
    using A = ipv4_address;
    const table<A> some = sorted<A>({{leading<A>(0x0a, 8), {1}},
                                     {leading<A>(0x0a01, 16), {2}},
                                     {leading<A>(0x0a0102, 24), {3}},
                                     {leading<A>(0xc00002, 24), {4}}});
    const auto fib = hi_bst::fib<A>::build(routes<A>(some));
    ASSERT_TRUE(fib);
    const auto expect = [&](std::uint32_t a, std::size_t looked_at, next_hop hop) {
        const auto seen = steps_of<A>(*fib, A{a});
        EXPECT_EQ(seen.routes, looked_at) << text_of(A{a});
        EXPECT_EQ(seen.hop, hop) << text_of(A{a});
        EXPECT_GE(seen.keys, 2u);
        EXPECT_LE(seen.keys, 3u);
    };
    expect(0x0a010203, 1, {3});
    expect(0x0a010304, 2, {2});
    expect(0x0a020000, 3, {1});
    expect(0x0b000000, 4, next_hop::none); // the last visit is to node 0
    expect(0x09ffffff, 1, next_hop::none);
    expect(0xc0000301, 2, next_hop::none);
}

// The worst case: a chain of routes of every length makes the climb W + 1 routes long.
TEST(HiBst, LooksAtEveryRouteOfAChain) {
    using A = ipv6_address;
    table<A> chain;
    for (unsigned length = 0; length <= 128; ++length)
        chain.push_back({prefix<A>::make(A{}, length), {length}});
    const auto fib = hi_bst::fib<A>::build(routes<A>(chain));
    ASSERT_TRUE(fib);
    EXPECT_EQ(steps_of<A>(*fib, A::first()).routes, 1u);
    const auto last = steps_of<A>(*fib, A::last());
    EXPECT_EQ(last.routes, 129u);
    EXPECT_EQ(last.hop, next_hop{0});
}

TEST(HiBst, TakesTwelveBytesARouteOfIpv4AndTwentyFourOfIpv6) {
    const auto bytes = []<class A>(A) {
        table<A> some;
        for (std::uint32_t i = 0; i < 65536; ++i)
            some.push_back({leading<A>(i, 16), {i}});
        const auto fib = hi_bst::fib<A>::build(routes<A>(some));
        EXPECT_TRUE(fib);
        return fib->memory_bytes() - sizeof *fib;
    };
    EXPECT_EQ(bytes(ipv4_address{}), 65537u * 12);
    EXPECT_EQ(bytes(ipv6_address{}), 65537u * 24);
}

TEST(HiBst, RefusesMoreRoutesAndCodesThanItCanNumber) {
    using A = ipv4_address;
    using tree = hi_bst::fib<A>;
    const table<A> some{{leading<A>(0x0a, 8), {0}}, {leading<A>(0x0b, 8), {1}}, {leading<A>(0x0c, 8), {2}}};
    const routes<A> all(some);
    expect_least<tree>(some, 3);
    EXPECT_TRUE(tree::build(all, {}, tree::most_routes, 3));
    EXPECT_THROW((void)tree::build(all, {}, tree::most_routes, 2), std::length_error);
}

} // namespace
} // namespace fingerpost::testing::of_hi_bst
