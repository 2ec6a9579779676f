// From messages of sources and the kernel to the entry that a data thread finds.
#include "router/tests/data/forward/forwarding_fixture.hpp"

#include <gtest/gtest.h>

namespace fingerpost::router {
namespace {

using testing::at;
using testing::Forwarding;
using testing::mac_of;
using testing::net4;
using testing::net6;
using testing::octets;
using testing::via;
using testing::written;

TEST_F(Forwarding, OwnAddressesAreLocalAndTheirNetworksConnected) {
    EXPECT_EQ(kind("10.0.0.1"), hop_kind::local);
    EXPECT_EQ(kind("10.0.0.0"), hop_kind::local);
    EXPECT_EQ(kind("10.0.0.255"), hop_kind::local);
    EXPECT_EQ(kind("10.0.0.7"), hop_kind::connected);
    EXPECT_EQ(entry("10.0.0.7").interface, 10u);
    EXPECT_EQ(kind("2001:db8::1"), hop_kind::local);
    EXPECT_EQ(kind("2001:db8::"), hop_kind::local);
    EXPECT_EQ(kind("2001:db8::99"), hop_kind::connected);
    EXPECT_EQ(kind("192.168.9.200"), hop_kind::local) << "only the kernel reaches eth9";
    EXPECT_EQ(kind("172.16.0.1"), hop_kind::no_route);
    made->links().remove_address({10, at("10.0.0.1"), 24, std::nullopt, true});
    made->links().commit();
    EXPECT_EQ(kind("10.0.0.1"), hop_kind::no_route);
    EXPECT_EQ(kind("10.0.0.7"), hop_kind::no_route);
}

TEST_F(Forwarding, AGatewayGetsItsHeaderWhenItIsResolved) {
    announce(net4("20.0.0.0/8"), via("10.0.0.2"));
    const next_hop_entry& before = entry("20.1.2.3");
    EXPECT_EQ(before.kind, hop_kind::unresolved);
    EXPECT_EQ(before.interface, 10u);
    EXPECT_EQ(before.gateway().value, 0x0a000002u);
    resolve(10, "10.0.0.2", 77);
    const next_hop_entry& after = entry("20.1.2.3");
    ASSERT_EQ(after.kind, hop_kind::forward);
    EXPECT_EQ(after.port, 0);
    EXPECT_EQ(after.out.mtu, 1500);
    EXPECT_EQ(written(after), (octets{2, 0, 0, 0, 0, 77, 2, 0, 0, 0, 0, 1, 8, 0}));
    resolve(10, "10.0.0.2", 77, neighbour_state::failed);
    EXPECT_EQ(kind("20.1.2.3"), hop_kind::unresolved);
}

TEST_F(Forwarding, AVlanDeviceTagsWhatLeavesItsPort) {
    announce(net4("20.0.0.0/8"), via("10.5.0.2"));
    resolve(12, "10.5.0.2", 77);
    const next_hop_entry& one = entry("20.1.2.3");
    ASSERT_EQ(one.kind, hop_kind::forward);
    EXPECT_EQ(one.port, 0);
    EXPECT_EQ(one.out.mtu, 1400);
    EXPECT_EQ(written(one), (octets{2, 0, 0, 0, 0, 77, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 5, 8, 0}));
    EXPECT_EQ(made->links().find_interface(0, 5), 12u);
    EXPECT_EQ(made->links().find_interface(0, 6), 0u);
}

TEST_F(Forwarding, AnIpv4RouteMayHaveAnIpv6Gateway) {
    announce(net4("20.0.0.0/8"), via("fe80::2", 11));
    announce(net6("2001:db8:9::/48"), via("fe80::2", 11));
    resolve(11, "fe80::2", 77);
    EXPECT_EQ(entry("20.1.2.3").kind, hop_kind::forward);
    EXPECT_EQ(number("20.1.2.3"), number("2001:db8:9::1")) << "both families share it";
    EXPECT_EQ(entry("20.1.2.3").port, 1);
}

TEST_F(Forwarding, RoutesThatDropSayHow) {
    announce(net4("20.0.0.0/8"), destination{action::blackhole, {}});
    announce(net4("21.0.0.0/8"), destination{action::unreachable, {}});
    announce(net4("22.0.0.0/8"), destination{action::prohibit, {}});
    announce(net4("23.0.0.0/8"), destination{action::forward, {}});
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::blackhole);
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::unreachable);
    EXPECT_EQ(kind("22.0.0.1"), hop_kind::prohibit);
    EXPECT_EQ(kind("23.0.0.1"), hop_kind::unreachable);
}

TEST_F(Forwarding, LinksThatComeAndGoAreFollowed) {
    announce(net4("20.0.0.0/8"), via("10.7.0.2", 30));
    resolve(30, "10.7.0.2", 77);
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unreachable) << "there is no link 30";
    made->links().set_link({30, "fp1.9", mac_of(2), 1500, true, 11, 9});
    made->links().commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::forward);
    EXPECT_EQ(entry("20.0.0.1").port, 1);
    made->links().set_link({11, "fp1", mac_of(2), 9000, false, 0, 0});
    made->links().commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::link_down) << "the link below is down";
    made->links().remove_link(30);
    made->links().commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unreachable);
}

TEST_F(Forwarding, NeighboursOfConnectedNetworksAreFoundUntilTheyGo) {
    const auto find = [&](const char* address, std::uint32_t interface) {
        const any_address a = at(address);
        const auto view = made->view();
        return std::visit([&](auto one) { return view.neighbours->find(interface, one); }, a);
    };
    EXPECT_EQ(find("10.0.0.7", 10), next_hop::none);
    resolve(10, "10.0.0.7", 70);
    resolve(10, "2001:db8::7", 71);
    resolve(20, "192.168.9.7", 72);
    EXPECT_EQ(find("10.0.0.7", 11), next_hop::none);
    EXPECT_EQ(find("192.168.9.7", 20), next_hop::none) << "eth9 is the kernel's";
    const next_hop v4 = find("10.0.0.7", 10);
    const next_hop v6 = find("2001:db8::7", 10);
    ASSERT_NE(v4, next_hop::none);
    ASSERT_NE(v6, next_hop::none);
    EXPECT_EQ(written((*made->view().hops)[v4])[5], 70);
    EXPECT_EQ(written((*made->view().hops)[v6])[5], 71);
    made->links().remove_neighbour(10, at("10.0.0.7"));
    made->links().commit();
    EXPECT_EQ(find("10.0.0.7", 10), next_hop::none);
    EXPECT_EQ((*made->view().hops)[v4].interface, 10u) << "a packet that has the number still follows it";
}

TEST_F(Forwarding, OwnRoutesHideThoseOfTheSource) {
    announce(net4("10.0.0.0/24"), via("10.1.0.2", 11));
    EXPECT_EQ(kind("10.0.0.7"), hop_kind::connected);
    made->links().remove_address({10, at("10.0.0.1"), 24, std::nullopt, true});
    made->links().commit();
    EXPECT_EQ(kind("10.0.0.7"), hop_kind::unresolved);
    EXPECT_EQ(entry("10.0.0.7").interface, 11u);
    add_address(10, "10.0.0.1", 24);
    made->links().commit();
    EXPECT_EQ(kind("10.0.0.7"), hop_kind::connected);
    made->withdraw(net4("10.0.0.0/24"));
    made->commit();
    EXPECT_EQ(kind("10.0.0.7"), hop_kind::connected);
}

TEST_F(Forwarding, NextHopsAreDescribedInOneWord) {
    const auto described = [&](const char* address) { return made->hops().describe(number(address).id); };
    announce(net4("20.0.0.0/8"), via("10.0.0.2", 10));
    announce(net4("21.0.0.0/8"), via("10.0.0.2"));
    announce(net4("22.0.0.0/8"), destination{action::blackhole, {}});
    announce(net4("23.0.0.0/8"),
             destination{action::forward, {{at("fe80::2"), 11, 3}, {at("10.0.0.3"), 10, 1}}});
    made->set_group({7}, via("10.1.0.9", 11));
    announce(net4("24.0.0.0/8"), group_id{7});
    EXPECT_EQ(described("20.0.0.1"), "10.0.0.2%fp0");
    EXPECT_EQ(described("21.0.0.1"), "10.0.0.2");
    EXPECT_EQ(described("22.0.0.1"), "blackhole");
    EXPECT_EQ(described("23.0.0.1"), "10.0.0.3%fp0+fe80::2%fp1*3");
    EXPECT_EQ(described("24.0.0.1"), "10.1.0.9%fp1");
    EXPECT_EQ(described("10.5.0.9"), "fp0.5");
    EXPECT_EQ(described("99.0.0.1"), "");
}

} // namespace
} // namespace fingerpost::router
