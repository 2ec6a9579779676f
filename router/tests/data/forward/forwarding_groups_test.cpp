// The distribution of flows over groups, and routes that follow their groups.
#include "router/tests/data/forward/forwarding_fixture.hpp"

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

TEST_F(Forwarding, ASourceThatTakesOverHasGroupsOfItsOwn) {
    resolve(10, "10.0.0.2", 7);
    resolve(11, "10.1.0.2", 8);
    made->set_group({5}, via("10.0.0.2", 10));
    announce(net4("20.0.0.0/8"), group_id{5});
    announce(net4("21.0.0.0/8"), group_id{5});
    made->set_source(1);
    made->begin_refresh();
    made->set_group({5}, via("10.1.0.2", 11));
    announce(net4("20.0.0.0/8"), group_id{5});
    EXPECT_EQ(entry("20.0.0.1").port, 1u);
    EXPECT_EQ(entry("21.0.0.1").port, 0u) << "a stale route keeps the group of its source";
    made->sweep();
    made->commit();
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::no_route);
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::forward);
    end_grace();
    const std::size_t after = made->hops().size();
    // The group of the former source has been removed, together with everything that only it referred to.
    made->set_source(0);
    made->remove_group({5});
    EXPECT_EQ(made->hops().size(), after);
    announce(net4("22.0.0.0/8"), group_id{5});
    EXPECT_EQ(kind("22.0.0.1"), hop_kind::unreachable);
}

TEST_F(Forwarding, SchemesAreExchangedWithWhatChangedMeanwhile) {
    resolve(10, "10.0.0.2", 7);
    announce(net4("20.0.0.0/8"), via("10.0.0.2", 10));
    announce(net6("2001:db8:9::/48"), via("2001:db8::2"));
    EXPECT_EQ(made->scheme(), "");
    auto next = made->begin_scheme("poptrie");
    ASSERT_TRUE(next);
    announce(net4("21.0.0.0/8"), via("10.0.0.2", 10));
    made->withdraw(net4("20.0.0.0/8"));
    made->commit();
    ASSERT_EQ(next->build(), errc::ok);
    announce(net4("21.1.0.0/16"), destination{action::blackhole, {}});
    ASSERT_EQ(made->finish_scheme(*next), errc::ok);
    EXPECT_EQ(made->scheme(), "poptrie");
    EXPECT_EQ(made->routes<ipv4_address>().scheme().facts.name, "poptrie");
    EXPECT_EQ(made->routes<ipv6_address>().scheme().facts.name, "poptrie");
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::no_route);
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::forward);
    EXPECT_EQ(kind("21.1.0.1"), hop_kind::blackhole);
    EXPECT_EQ(kind("2001:db8:9::1"), hop_kind::unresolved);
    announce(net4("20.0.0.0/8"), via("10.0.0.2", 10));
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::forward);
    EXPECT_EQ(made->finish_scheme(*next), errc::invalid) << "a second time";
    EXPECT_EQ(made->begin_scheme("no such scheme").error(), errc::not_found);
}

} // namespace
} // namespace fingerpost::router
