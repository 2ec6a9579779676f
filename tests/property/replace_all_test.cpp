// Replaces a full table by itself, and by a slightly different one.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/effort.hpp"
#include "tests/support/live.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {
namespace {

TEST(ReplaceAll, AnUnchangedMillionRouteTablePublishesNothing) {
    using A = ipv6_address;
    random_numbers random(1);
    table<A> routes;
    const std::size_t wanted = scaled(1'000'000);
    routes.reserve(wanted);
    for (std::size_t i = 0; i < wanted; ++i)
        routes.push_back({leading<A>((u128{2} << 44) + i * 7, 48), {static_cast<std::uint32_t>(i % 200)}});
    auto live = live_table<A>::create();
    ASSERT_TRUE(live && live->assign(routes));
    auto by = live->reader();
    ASSERT_TRUE(by);
    auto now = by->pin();
    const std::uint64_t version = now.version();

    const auto same = live->replace_all(routes);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->commit.state, publish_state::unchanged);
    EXPECT_EQ(same->added + same->removed + same->replaced + same->commit.changes, 0u);
    EXPECT_FALSE(now.refresh());
    EXPECT_EQ(live->version(), version);
    EXPECT_EQ(live->stalled().readers, 0u);

    auto other = routes;
    other[5].hop = {250};
    other.erase(other.begin() + 70);
    other.push_back({leading<A>(1, 3), {9}});
    const auto done = live->replace_all(other);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->added, 1u);
    EXPECT_EQ(done->removed, 1u);
    EXPECT_EQ(done->replaced, 1u);
    EXPECT_EQ(done->commit.state, publish_state::published);
    EXPECT_TRUE(now.refresh());
    EXPECT_EQ(now.lookup(routes[5].where.first()), next_hop{250});
    EXPECT_EQ(now.lookup(routes[70].where.first()), next_hop{9});
}

} // namespace
} // namespace fingerpost::testing
