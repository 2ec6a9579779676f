// Tables of both families, and the versions that readers may be reading.
#include <gtest/gtest.h>

#include <chrono>

#include "fingerpost/net/text.hpp"
#include "fingerpost/registry/registry.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost::testing::of_families {
namespace {

const ipv4_prefix ten = *parse_prefix<ipv4_address>("10.0.0.0/8");
const ipv6_prefix doc = *parse_prefix<ipv6_address>("2001:db8::/32");

TEST(ip_table, changes_both_families_with_one_version) {
    auto live = ip_table::create();
    ASSERT_TRUE(live);
    auto by = live->reader();
    ASSERT_TRUE(by);
    auto changes = live->begin();
    auto result = changes.commit(); // nothing to do
    ASSERT_TRUE(result);
    EXPECT_EQ(result->changes, 0U);
    EXPECT_EQ(result->version, 1U);
    EXPECT_EQ(result->state, publish_state::unchanged);
    ASSERT_EQ(changes.announce(ten, {1}), errc::ok);
    result = changes.commit();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->changes, 1U);
    EXPECT_EQ(result->version, 2U);
    const auto before = by->pin();
    ASSERT_EQ(changes.announce(ten, {2}), errc::ok);
    ASSERT_EQ(changes.announce(doc, {3}), errc::ok);
    ASSERT_NE(changes.find(doc), nullptr);
    EXPECT_EQ(changes.find(doc)->hop, next_hop{3});
    EXPECT_EQ(changes.of<ipv4_address>().edits().size(), 1U);
    EXPECT_EQ(changes.size(), 2U);
    result = changes.commit();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->state, publish_state::published);
    EXPECT_EQ(result->changes, 2U);
    EXPECT_EQ(result->version, 3U);
    EXPECT_EQ(live->version(), 3U);
    EXPECT_EQ(changes.size(), 0U);
    EXPECT_EQ(live->get(ten), next_hop{2});
    EXPECT_EQ(live->get(doc), next_hop{3});
    EXPECT_EQ(live->size(), 2U);
    EXPECT_EQ(before.lookup(ten.first()), next_hop{1});
    EXPECT_EQ(before.lookup(doc.first()), next_hop::none);
    auto other = live->reader();
    ASSERT_TRUE(other);
    EXPECT_EQ(other->pin().lookup(ten.first()), next_hop{2});
    EXPECT_EQ(other->pin().lookup(doc.first()), next_hop{3});
}

TEST(ip_table, single_changes_and_whole_tables) {
    auto live = ip_table::create();
    ASSERT_TRUE(live);
    auto by = live->reader();
    ASSERT_TRUE(by);
    ASSERT_EQ(live->announce(ten, {1}), errc::ok);
    ASSERT_EQ(live->announce(doc, {2}), errc::ok);
    EXPECT_EQ(live->announce(doc, next_hop::none), errc::invalid);
    EXPECT_EQ(live->withdraw(ipv6_prefix{}), errc::not_found);
    EXPECT_EQ(by->pin().lookup(ten.first()), next_hop{1});
    EXPECT_EQ(by->pin().lookup(doc.first()), next_hop{2});
    const auto counts = live->replace_all({{ten, {1}}}, {{doc, {5}}, {ipv6_prefix{}, {6}}});
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->added, 1U);
    EXPECT_EQ(counts->replaced, 1U);
    EXPECT_EQ(counts->removed, 0U);
    EXPECT_EQ(counts->commit.version, 4U);
    EXPECT_EQ(by->pin().lookup(doc.first()), next_hop{5});
    ASSERT_TRUE(live->assign({}, {{doc, {7}}}));
    EXPECT_EQ(live->of<ipv4_address>().size(), 0U);
    EXPECT_EQ(by->pin().lookup(ten.first()), next_hop::none);
    EXPECT_EQ(by->pin().lookup(doc.first()), next_hop{7});
    EXPECT_EQ(live->version(), 5U);
}

TEST(ip_table, takes_schemes_that_serve_one_family) {
    const auto live = ip_table::create({.scheme = "dir_24_8"});
    if (find_scheme<ipv4_address>("dir_24_8") == nullptr)
        GTEST_SKIP() << "this build has no dir_24_8";
    ASSERT_TRUE(live);
    EXPECT_EQ(live->of<ipv4_address>().scheme().facts.name, "dir_24_8");
    EXPECT_EQ(&live->of<ipv6_address>().scheme(), &default_scheme<ipv6_address>());
    EXPECT_FALSE(ip_table::create({.scheme = "no_such_scheme"}));
}

TEST(ip_table, has_a_policy_for_each_family) {
    const auto* const four = find_scheme<ipv4_address>("dir_24_8");
    if (four == nullptr)
        GTEST_SKIP() << "this build has no dir_24_8";
    const auto& six = default_scheme<ipv6_address>();
    auto live = ip_table::create({*four, policy::in_place}, six, {.update = policy::rebuild});
    ASSERT_TRUE(live);
    EXPECT_EQ(live->of<ipv4_address>().update_policy(), policy::in_place);
    EXPECT_EQ(live->of<ipv6_address>().update_policy(), policy::rebuild);
    EXPECT_EQ(ip_table::create(*four, {six, policy::in_place}).error(), errc::unsupported);
}

// Readers stall, so the FIBs of one family cannot be published. The other family must wait too, or readers
// would see half of the transaction.
TEST(ip_table, shows_no_part_of_a_commit) {
    for (const policy how : {policy::rebuild, policy::left_right}) {
        table_options options;
        options.update = how;
        options.most_old_versions = 1;
        options.patience = std::chrono::hours(1);
        auto live = ip_table::create(options);
        ASSERT_TRUE(live);
        auto stalled = live->reader();
        auto by = live->reader();
        ASSERT_TRUE(stalled && by);
        {
            const auto held = stalled->pin();
            // Repeats until that reader holds the FIB whose turn it is, or the only one that may be kept.
            ASSERT_EQ(live->announce(doc, {1}), errc::ok);
            ASSERT_EQ(live->announce(doc, {2}), errc::ok);
            const auto seen = by->pin().lookup(doc.first());
            auto changes = live->begin();
            ASSERT_EQ(changes.announce(ten, {2}), errc::ok);
            ASSERT_EQ(changes.announce(doc, {3}), errc::ok);
            const std::uint64_t version = live->version();
            const auto result = changes.commit();
            ASSERT_TRUE(result);
            EXPECT_EQ(result->state, publish_state::deferred);
            EXPECT_EQ(result->changes, 2U);
            EXPECT_EQ(live->version(), version);
            EXPECT_EQ(live->get(doc), next_hop{3});
            EXPECT_GT(live->pending(), 0U);
            EXPECT_EQ(by->pin().lookup(ten.first()), next_hop::none);
            EXPECT_EQ(by->pin().lookup(doc.first()), seen);
            // A change of the other family alone does not publish it either.
            ASSERT_EQ(live->announce(ipv4_prefix{}, {9}), errc::ok);
            EXPECT_EQ(by->pin().lookup(ten.first()), next_hop::none);
        }
        ASSERT_TRUE(live->publish());
        EXPECT_EQ(live->pending(), 0U);
        EXPECT_EQ(by->pin().lookup(ten.first()), next_hop{2});
        EXPECT_EQ(by->pin().lookup(doc.first()), next_hop{3});
        EXPECT_EQ(by->pin().lookup(ipv4_address{}), next_hop{9});
    }
}

TEST(ip_table, changes_the_scheme_of_one_family) {
    auto live = ip_table::create();
    ASSERT_TRUE(live);
    ASSERT_TRUE(live->assign({{ten, {1}}}, {{doc, {2}}}));
    auto by = live->reader();
    ASSERT_TRUE(by);
    const auto* const other = find_scheme<ipv6_address>("planb");
    if (other == nullptr)
        GTEST_SKIP() << "this build has no planb";
    auto next = live->begin_scheme(*other);
    ASSERT_TRUE(next);
    ASSERT_EQ(live->announce(doc, {4}), errc::ok);
    ASSERT_EQ(next->build(), errc::ok);
    const auto result = live->finish_scheme(*next);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->state, publish_state::published);
    EXPECT_EQ(live->of<ipv6_address>().scheme().facts.name, "planb");
    EXPECT_EQ(by->pin().lookup(ten.first()), next_hop{1});
    EXPECT_EQ(by->pin().lookup(doc.first()), next_hop{4});
    ASSERT_EQ(live->announce(ten, {6}), errc::ok);
    ASSERT_EQ(live->announce(doc, {7}), errc::ok);
    EXPECT_EQ(by->pin().lookup(ten.first()), next_hop{6});
    EXPECT_EQ(by->pin().lookup(doc.first()), next_hop{7});
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
} // namespace fingerpost::testing::of_families
