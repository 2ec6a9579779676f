// Commits of two tables as one, and which versions readers may be reading.
#include <gtest/gtest.h>

#include "fingerpost/net/text.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost::testing::of_both_tables {
namespace {

const ipv4_prefix ten = *parse_prefix<ipv4_address>("10.0.0.0/8");
const ipv6_prefix doc = *parse_prefix<ipv6_address>("2001:db8::/32");

TEST(commit_of_both, changes_two_tables_or_none) {
    auto four = ipv4_table::create();
    auto six = ipv6_table::create();
    ASSERT_TRUE(four && six);
    auto in4 = four->begin();
    auto in6 = six->begin();
    auto done = commit_both(in4, in6); // nothing to do
    ASSERT_TRUE(done);
    EXPECT_EQ(done->ipv4.changes + done->ipv6.changes, 0U);
    ASSERT_EQ(in4.announce(ten, {1}), errc::ok);
    done = commit_both(in4, in6);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->ipv4.changes, 1U);
    EXPECT_EQ(done->ipv6.changes, 0U);
    EXPECT_EQ(done->ipv6.version, six->version());
    ASSERT_EQ(in4.announce(ten, {2}), errc::ok);
    ASSERT_EQ(in6.announce(doc, {3}), errc::ok);
    ASSERT_NE(in6.find(doc), nullptr);
    EXPECT_EQ(in6.find(doc)->hop, next_hop{3});
    EXPECT_EQ(in4.edits().size(), 1U);
    done = commit_both(in4, in6);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->ipv4.state, publish_state::published);
    EXPECT_EQ(done->ipv6.state, publish_state::published);
    EXPECT_EQ(in4.size() + in6.size(), 0U);
    EXPECT_EQ(four->get(ten), next_hop{2});
    EXPECT_EQ(six->get(doc), next_hop{3});
    auto by = six->reader();
    ASSERT_TRUE(by);
    EXPECT_EQ(by->pin().lookup(doc.first()), next_hop{3});
}

TEST(commit_of_both, a_family_whose_readers_stall_is_shown_later) {
    table_options options;
    options.update = policy::rebuild;
    options.most_old_versions = 1;
    auto four = ipv4_table::create(options);
    auto six = ipv6_table::create(options);
    ASSERT_TRUE(four && six);
    auto by = six->reader();
    ASSERT_TRUE(by);
    {
        const auto stalled = by->pin();
        ASSERT_EQ(six->announce(doc, {1}), errc::ok);
        auto in4 = four->begin();
        auto in6 = six->begin();
        ASSERT_EQ(in4.announce(ten, {2}), errc::ok);
        ASSERT_EQ(in6.announce(doc, {2}), errc::ok);
        const auto done = commit_both(in4, in6);
        ASSERT_TRUE(done);
        EXPECT_EQ(done->ipv4.state, publish_state::published);
        EXPECT_EQ(done->ipv6.state, publish_state::deferred);
        EXPECT_EQ(six->get(doc), next_hop{2});
        EXPECT_GT(six->pending(), 0U);
    }
    ASSERT_TRUE(six->publish());
    EXPECT_EQ(six->pending(), 0U);
    EXPECT_EQ(by->pin().lookup(doc.first()), next_hop{2});
}

TEST(versions_that_are_read, by_pinned_readers_and_by_those_that_retain_later_ones) {
    auto live = ipv4_table::create();
    ASSERT_TRUE(live);
    EXPECT_EQ(live->oldest_read(), live->version());
    auto by = live->reader();
    ASSERT_TRUE(by);
    {
        const auto now = by->pin();
        const std::uint64_t first = live->version();
        for (std::uint32_t i = 1; i < 4; ++i)
            ASSERT_EQ(live->announce(ten, {i}), errc::ok);
        EXPECT_GT(live->version(), first);
        EXPECT_EQ(live->oldest_read(), first);
        EXPECT_TRUE(live->is_read(first, first));
        EXPECT_FALSE(live->is_read(first + 1, live->version() - 1));
        now.retain_later();
        EXPECT_TRUE(live->is_read(first + 1, live->version() - 1));
        EXPECT_EQ(now.version(), first);
        EXPECT_EQ(now.lookup(ten.first()), next_hop::none);
    }
    EXPECT_EQ(live->oldest_read(), live->version());
    EXPECT_FALSE(live->is_read(1, live->version() - 1));
}

} // namespace
} // namespace fingerpost::testing::of_both_tables
