// How flows are spread over groups, and how routes follow them.
#include "tests/router/data/forward/forwarding_fixture.hpp"

#include <gtest/gtest.h>

#include <map>

namespace fingerpost::router {
namespace {

using testing::at;
using testing::Forwarding;
using testing::mac_of;
using testing::net4;
using testing::net6;
using testing::via;
using testing::written;

std::map<std::uint32_t, std::size_t> shares(const bucket_array& buckets) {
    std::map<std::uint32_t, std::size_t> count;
    for (const std::uint32_t one : buckets)
        ++count[one];
    return count;
}

TEST_F(Forwarding, AGroupSpreadsByWeightAndKeepsTheFlowsOfThoseThatStay) {
    for (const char* const gateway : {"10.0.0.2", "10.0.0.3", "10.0.0.4"})
        resolve(10, gateway, 7);
    const destination three{action::forward,
                            {{at("10.0.0.2"), 10, 2}, {at("10.0.0.3"), 10, 1}, {at("10.0.0.4"), 10, 1}}};
    announce(net4("20.0.0.0/8"), three);
    announce(net4("21.0.0.0/8"), via("10.0.0.2", 10));
    announce(net4("22.0.0.0/8"), via("10.0.0.3", 10));
    ASSERT_EQ(kind("20.0.0.1"), hop_kind::group);
    const bucket_array before = entry("20.0.0.1").buckets();
    const std::uint32_t heavy = number("21.0.0.1").id;
    const std::uint32_t leaving = number("22.0.0.1").id;
    const auto count = shares(before);
    ASSERT_EQ(count.size(), 3u);
    // Four standard deviations of 1,024 draws.
    EXPECT_NEAR(static_cast<double>(count.at(heavy)), 512, 64);
    EXPECT_NEAR(static_cast<double>(count.at(leaving)), 256, 56);

    const destination two{action::forward, {{at("10.0.0.4"), 10, 1}, {at("10.0.0.2"), 10, 2}}};
    announce(net4("20.0.0.0/8"), two);
    const bucket_array after = entry("20.0.0.1").buckets();
    for (std::size_t i = 0; i < group_buckets; ++i) {
        if (before[i] != leaving) {
            ASSERT_EQ(after[i], before[i]) << "bucket " << i;
        } else {
            ASSERT_NE(after[i], leaving) << "bucket " << i;
        }
    }
    announce(net4("20.0.0.0/8"), three);
    EXPECT_EQ(entry("20.0.0.1").buckets(), before) << "who comes back gets its buckets again";
}

TEST_F(Forwarding, AMemberWhoseLinkIsDownGetsNoFlows) {
    announce(net4("20.0.0.0/8"),
             destination{action::forward, {{at("10.0.0.2"), 10, 1}, {at("10.1.0.2"), 11, 1}}});
    EXPECT_EQ(shares(entry("20.0.0.1").buckets()).size(), 2u);
    made->links().set_link({11, "fp1", mac_of(2), 9000, false, 0, 0});
    made->links().commit();
    ASSERT_EQ(kind("20.0.0.1"), hop_kind::group);
    const auto left = shares(entry("20.0.0.1").buckets());
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ((*made->view().hops)[{left.begin()->first}].interface, 10u);
    made->links().set_link({10, "fp0", mac_of(1), 1500, false, 0, 0});
    made->links().commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unreachable);
}

TEST_F(Forwarding, RoutesFollowTheGroupThatTheyName) {
    resolve(10, "10.0.0.2", 42);
    resolve(10, "10.0.0.3", 43);
    announce(net4("20.0.0.0/8"), group_id{7});
    announce(net6("2001:db8:9::/48"), group_id{7});
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unreachable) << "before the group is known";
    const next_hop stays = number("20.0.0.1");
    made->set_group({7}, via("10.0.0.2", 10));
    EXPECT_EQ(written(entry("20.0.0.1"))[5], 42);
    EXPECT_EQ(number("20.0.0.1"), number("2001:db8:9::1"));
    made->set_group({7}, via("10.0.0.3", 10));
    EXPECT_EQ(written(entry("20.0.0.1"))[5], 43);
    EXPECT_EQ(number("20.0.0.1"), stays) << "no route was touched";
    resolve(10, "10.0.0.3", 53);
    EXPECT_EQ(written(entry("20.0.0.1"))[5], 53);
    made->set_group({7}, {action::forward, {{at("10.0.0.2"), 10, 1}, {at("10.0.0.3"), 10, 1}}});
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::group);
    made->remove_group({7});
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unreachable);
    EXPECT_EQ(kind("2001:db8:9::1"), hop_kind::unreachable);
}

} // namespace
} // namespace fingerpost::router
