// The limits in docs/inside/limits.md that do not belong to a scheme, with small numbers instead of the real
// ones. Exceeding a limit always returns errc::capacity and changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "fingerpost/base/dirty_list.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/rib/aggregate.hpp"
#include "fingerpost/rib/rib.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_limits {
namespace {

constexpr std::size_t past_32_bits = std::size_t{1} << 32;

TEST(Limits, SizesThatAreNoNumbersOf32BitsAreRefused) {
    EXPECT_EQ(to_u32(past_32_bits - 1, "x"), 0xffffffffu);
    EXPECT_THROW((void)to_u32(past_32_bits, "x"), std::length_error);
    EXPECT_NO_THROW(check_size(7, 7, "x"));
    EXPECT_THROW(check_size(8, 7, "x"), std::length_error);
}

TEST(Limits, AUnitThatTheListCannotNameMeansThatAllMustBeCopied) {
    dirty_list units;
    units.start(1 << 20);
    units.add(past_32_bits - 1);
    EXPECT_TRUE(units.are_known());
    units.add(past_32_bits);
    EXPECT_FALSE(units.are_known());
}

TEST(Limits, APoolGivesSoManyNumbersAndNoMore) {
    for (const std::size_t most : {std::size_t{1}, std::size_t{100}, std::size_t{300'000}}) {
        node_pool<std::uint64_t> pool(most);
        for (std::size_t i = 0; i < most; ++i)
            ASSERT_EQ(pool.allocate(), i);
        EXPECT_EQ(pool.capacity(), most);
        EXPECT_EQ(pool.allocate(), pool.nil);
        EXPECT_EQ(pool.shortage(), errc::capacity);
        pool.release(0);
        EXPECT_EQ(pool.shortage(), errc::out_of_memory) << "one is free, so it would not be for numbers";
        EXPECT_EQ(pool.allocate(), 0u);
        EXPECT_FALSE(pool.reserve(most + 1));
        EXPECT_EQ(pool.shortage(most + 1), errc::capacity);
        pool.clear();
        EXPECT_EQ(pool.most_nodes(), most);
        EXPECT_TRUE(pool.reserve(most));
    }
}

// The last fork of a pool must not get the link that means "no fork".
TEST(Limits, NoForkHasTheLinkNil) {
    using nodes = detail::path_nodes<ipv4_address>;
    constexpr auto last = static_cast<std::uint32_t>(nodes::most - 1);
    EXPECT_NE(nodes::fork_link(last), nodes::nil);
    EXPECT_NE(nodes::route_link(last), nodes::nil);
    EXPECT_EQ(nodes::fork_link(last + 1), nodes::nil);
}

template <class A>
class LimitsEachWidth : public ::testing::Test {};
using widths = ::testing::Types<address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(LimitsEachWidth, widths);

TYPED_TEST(LimitsEachWidth, ARibThatIsFullStaysAsItIs) {
    using A = TypeParam;
    random_numbers random(A::bits);
    const auto all = clustered_table<A>(random, 60, 5);
    const std::size_t most = all.size() - 1;
    ASSERT_GE(most, 30u);
    fingerpost::rib<A> full(most);
    for (std::size_t i = 0; i < most; ++i)
        ASSERT_TRUE(full.insert(all[i].where, all[i].hop));
    const auto before = routes_of(full);
    const auto expect_same = [&](errc told) {
        EXPECT_EQ(told, errc::capacity);
        EXPECT_EQ(routes_of(full), before);
        expect_right<A>(full, before);
    };
    expect_same(full.insert(all[most].where, all[most].hop).error());
    expect_same(full.announce(all[most].where, all[most].hop).error());
    expect_same(full.assign(all).error());
    // Existing routes may change, and removed ones make room.
    EXPECT_TRUE(full.announce(all[0].where, {77}));
    EXPECT_TRUE(full.withdraw(all[1].where));
    full.compact();
    EXPECT_TRUE(full.insert(all[most].where, all[most].hop));
    EXPECT_EQ(full.insert(all[1].where, {1}).error(), errc::capacity);
    full.clear();
    EXPECT_EQ(full.assign(all).error(), errc::capacity);
    EXPECT_TRUE(full.assign(before));
}

TYPED_TEST(LimitsEachWidth, AnAggregationSaysWhenItsNodesEnd) {
    using A = TypeParam;
    random_numbers random(3);
    const auto all = clustered_table<A>(random, 50, 5);
    std::size_t fewest = 0; // the number of nodes needed
    for (;; ++fewest) {
        try {
            (void)aggregate<A>(all, fewest);
            break;
        } catch (const std::length_error&) {
        }
    }
    EXPECT_GE(fewest, all.size());
    EXPECT_LE(fewest, 2 * all.size());
}

TEST(Limits, MoreNextHopsThanCodesAreRefused) {
    std::vector<next_hop> hops;
    for (std::uint32_t i = 0; i < 254; ++i)
        hops.push_back({i * 1000});
    EXPECT_EQ(next_hop_codec::choose(hops, 1, {}, 1).bytes(), 1u);
    hops.push_back({7});
    EXPECT_THROW((void)next_hop_codec::choose(hops, 1, {}, 1), std::length_error);
    EXPECT_EQ(next_hop_codec::choose(hops, 1, {}, 2).bytes(), 2u);
}

TEST(Limits, NextHopCodesStayBelowALimit) {
    const std::vector<next_hop> small{{0}, {6}}, large{{3}, {9}};
    auto codec = next_hop_codec::choose_below(small, 8);
    EXPECT_EQ(codec.encode({6}), 7u) << "the id itself, plus one";
    EXPECT_TRUE(codec.decoder().hops.empty());
    EXPECT_FALSE(codec.can_encode({7}));
    EXPECT_FALSE(codec.add({7})) << "there is no list to add it to";
    codec = next_hop_codec::choose_below(large, 4);
    EXPECT_EQ(codec.encode({9}), 2u) << "its number, plus one";
    EXPECT_EQ(codec.decode(1), next_hop{9});
    EXPECT_TRUE(codec.add({20}));
    EXPECT_EQ(codec.encode({20}), 3u);
    EXPECT_FALSE(codec.add({21}));
    EXPECT_THROW((void)next_hop_codec::choose_below(large, 2), std::length_error);
    EXPECT_EQ(next_hop_codec::choose_below(large, 3).encode(next_hop::none), 0u);
}

} // namespace
} // namespace fingerpost::testing::of_limits
