// Next-hop objects in every order, and the flat groups that the sink receives.
#include "router/routes/netlink/group_table.hpp"

#include <gtest/gtest.h>

#include "router/tests/routes/recording_sink.hpp"

namespace fingerpost::router {
namespace {

using namespace testing;

next_hop_message single(std::uint32_t id, const std::string& gateway, std::uint32_t interface = 1) {
    next_hop_message message;
    message.id = id;
    message.exit = by(gateway, interface);
    return message;
}
next_hop_message group(std::uint32_t id, std::vector<group_member> members) {
    next_hop_message message;
    message.id = id;
    message.members = std::move(members);
    return message;
}
const destination unreachable{action::unreachable, {}};

struct group_tables : ::testing::Test {
    recorded_routes sink;
    group_table table{sink, group_numbering::as_given};
};

TEST_F(group_tables, members_before_and_after_their_group) {
    table.set(single(1, "10.0.0.1"));
    table.set(group(10, {{1, 3}, {2, 1}}));
    EXPECT_EQ(sink.groups[1], forward({by("10.0.0.1", 1)}));
    EXPECT_EQ(sink.groups[10], forward({by("10.0.0.1", 1, 3)})) << "the other member is not known yet";
    table.set(single(2, "fe80::2"));
    EXPECT_EQ(sink.groups[10], forward({by("10.0.0.1", 1, 3), by("fe80::2", 1, 1)}));
    table.set(single(1, "10.0.0.7"));
    EXPECT_EQ(sink.groups[10], forward({by("10.0.0.7", 1, 3), by("fe80::2", 1, 1)})) << "it follows";
    table.remove(2);
    EXPECT_EQ(sink.groups[10], forward({by("10.0.0.7", 1, 3)}));
    EXPECT_FALSE(sink.groups.contains(2));
    table.remove(1);
    EXPECT_EQ(sink.groups[10], unreachable);
    table.remove(10);
    EXPECT_TRUE(sink.groups.empty());
    EXPECT_EQ(table.size(), 0U) << "nothing of it stays";
}

TEST_F(group_tables, a_group_that_changes_its_members) {
    table.set(single(1, "10.0.0.1"));
    table.set(single(2, "10.0.0.2"));
    table.set(group(10, {{1, 1}}));
    table.set(group(10, {{2, 1}}));
    table.set(single(1, "10.0.0.9"));
    EXPECT_EQ(sink.groups[10], forward({by("10.0.0.2", 1)})) << "it no longer follows the first";
    table.set(single(10, "10.0.0.3"));
    EXPECT_EQ(sink.groups[10], forward({by("10.0.0.3", 1)})) << "a group may become a single one";
}

TEST_F(group_tables, blackholes_and_what_cannot_be_used) {
    next_hop_message hole;
    hole.id = 3;
    hole.blackhole = true;
    table.set(hole);
    EXPECT_EQ(sink.groups[3], (destination{action::blackhole, {}}));
    table.set(group(10, {{3, 1}}));
    EXPECT_EQ(sink.groups[10], (destination{action::blackhole, {}}));
    next_hop_message tunnel;
    tunnel.id = 4;
    tunnel.unsupported = true;
    table.set(tunnel);
    EXPECT_EQ(sink.groups[4], unreachable);
}

TEST_F(group_tables, groups_of_groups) {
    table.set(group(100, {{10, 1}, {3, 1}}));
    table.set(group(10, {{1, 1}, {2, 3}}));
    for (const std::uint32_t id : {1U, 2U, 3U})
        table.set(single(id, "10.0.0." + std::to_string(id)));
    // 1/2 of the flows go to the third member; the other half is split 1/4 to 3/4.
    EXPECT_EQ(sink.groups[100],
              forward({by("10.0.0.1", 1, 64), by("10.0.0.2", 1, 192), by("10.0.0.3", 1, 256)}));
    table.set(single(2, "10.0.0.9"));
    EXPECT_EQ(sink.groups[100],
              forward({by("10.0.0.1", 1, 64), by("10.0.0.9", 1, 192), by("10.0.0.3", 1, 256)}));
}

TEST_F(group_tables, weights_above_256_are_scaled) {
    table.set(single(1, "10.0.0.1"));
    table.set(single(2, "10.0.0.2"));
    table.set(group(10, {{1, 65536}, {2, 1}}));
    EXPECT_EQ(sink.groups[10], forward({by("10.0.0.1", 1, 256), by("10.0.0.2", 1, 1)}));
}

TEST_F(group_tables, a_ring_ends) {
    table.set(group(1, {{2, 1}}));
    table.set(group(2, {{1, 1}}));
    table.set(group(3, {{3, 1}}));
    EXPECT_EQ(sink.groups[1], unreachable);
    EXPECT_EQ(sink.groups[3], unreachable);
}

TEST_F(group_tables, a_refresh_removes_what_does_not_come_again) {
    table.set(single(1, "10.0.0.1"));
    table.set(single(2, "10.0.0.2"));
    table.begin_refresh();
    table.set(single(2, "10.0.0.2"));
    EXPECT_TRUE(sink.groups.contains(1));
    table.sweep();
    EXPECT_FALSE(sink.groups.contains(1));
    EXPECT_TRUE(sink.groups.contains(2));
}

TEST(group_table, fresh_numbers_keep_stale_routes_apart) {
    recorded_routes sink;
    group_table table(sink, group_numbering::fresh);
    const group_id before = table.name_of(7); // a route refers to it first
    table.set(single(7, "10.0.0.1"));
    table.begin_refresh();
    table.set(single(7, "10.0.0.2"));
    const group_id after = table.name_of(7);
    EXPECT_NE(before, after);
    EXPECT_EQ(sink.groups[before.id], forward({by("10.0.0.1", 1)})) << "stale routes go where they went";
    EXPECT_EQ(sink.groups[after.id], forward({by("10.0.0.2", 1)}));
    table.sweep();
    EXPECT_FALSE(sink.groups.contains(before.id));
    EXPECT_TRUE(sink.groups.contains(after.id));
}

} // namespace
} // namespace fingerpost::router
