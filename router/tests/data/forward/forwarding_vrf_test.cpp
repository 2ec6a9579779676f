// VRFs: equal prefixes and addresses are kept apart, routes leak, and interfaces belong to the right VRF.
#include "router/tests/data/forward/forwarding_fixture.hpp"

namespace fingerpost::router {
namespace {

using testing::at;
using testing::mac_of;
using testing::net4;
using testing::net6;
using testing::via;

// Untagged packets of port 0 (link 10) are in red, its VLAN 5 (link 12) in blue, port 1 (link 11) in the
// default VRF.
class ForwardingVrfs : public testing::Forwarding {
  protected:
    static constexpr vrf_number red = 1, blue = 2;

    vrf_list vrfs() const override {
        vrf_list all;
        EXPECT_EQ(all.add({"red", 100}), red);
        EXPECT_EQ(all.add({"blue", 200}), blue);
        all.assign(0, std::nullopt, red);
        all.assign(0, 5, blue);
        return all;
    }
    void announce_in(vrf_number vrf, const any_prefix& where, const route_target& to) {
        made->announce(vrf, where, to);
        made->commit();
    }
    link_state tap(std::uint32_t master) {
        return {10, "fp0", mac_of(1), 1500, true, 0, 0, false, master, 0};
    }
};

TEST_F(ForwardingVrfs, AddressesAndNetworksAreThoseOfTheInterfacesVrf) {
    EXPECT_EQ(kind("10.0.0.1", red), hop_kind::local);
    EXPECT_EQ(kind("10.0.0.9", red), hop_kind::connected);
    EXPECT_EQ(kind("2001:db8::9", red), hop_kind::connected);
    EXPECT_EQ(kind("10.5.0.1", blue), hop_kind::local);
    EXPECT_EQ(kind("10.1.0.1"), hop_kind::local);
    EXPECT_EQ(kind("192.168.9.1"), hop_kind::local) << "an interface that only the kernel has";
    for (const char* const elsewhere : {"10.0.0.1", "10.0.0.9", "10.5.0.1", "2001:db8::1"})
        EXPECT_EQ(kind(elsewhere), hop_kind::no_route) << elsewhere;
    EXPECT_EQ(kind("10.5.0.1", red), hop_kind::no_route);
    EXPECT_EQ(kind("10.1.0.1", red), hop_kind::no_route);
    EXPECT_EQ(kind("10.0.0.1", blue), hop_kind::no_route);
}

TEST_F(ForwardingVrfs, OnePrefixLeadsToDifferentPlaces) {
    resolve(10, "10.0.0.2", 7);
    resolve(11, "10.1.0.2", 8);
    announce(net4("20.0.0.0/8"), via("10.1.0.2"));
    announce_in(red, net4("20.0.0.0/8"), via("10.0.0.2"));
    EXPECT_EQ(entry("20.1.2.3").port, 1);
    EXPECT_EQ(entry("20.1.2.3", red).port, 0);
    EXPECT_EQ(kind("20.1.2.3", blue), hop_kind::no_route);
    made->withdraw(red, net4("20.0.0.0/8"));
    made->commit();
    EXPECT_EQ(kind("20.1.2.3", red), hop_kind::no_route);
    EXPECT_EQ(kind("20.1.2.3"), hop_kind::forward) << "the other's route stays";
    EXPECT_EQ(made->routes_of(red).ipv4_counts().withdrawn, 1U);
    EXPECT_EQ(made->ipv4_counts().withdrawn, 0U);
}

TEST_F(ForwardingVrfs, AGatewayWithoutAnInterfaceIsOneOfTheRoutesVrf) {
    resolve(10, "10.0.0.2", 7);
    made->links().set_address({11, at("10.0.0.100"), 24, std::nullopt, true});
    resolve(11, "10.0.0.2", 8);
    announce_in(red, net4("20.0.0.0/8"), via("10.0.0.2"));
    announce(net4("20.0.0.0/8"), via("10.0.0.2"));
    announce_in(blue, net4("20.0.0.0/8"), via("10.0.0.2"));
    EXPECT_EQ(entry("20.1.2.3", red).interface, 10U);
    EXPECT_EQ(entry("20.1.2.3").interface, 11U) << "the same network in another VRF";
    EXPECT_EQ(kind("20.1.2.3", blue), hop_kind::unreachable);
}

TEST_F(ForwardingVrfs, ARouteWithAnInterfaceOfAnotherVrfLeaks) {
    resolve(11, "10.1.0.2", 8);
    announce_in(red, net4("20.0.0.0/8"), via("10.1.0.2", 11));
    announce_in(red, net4("10.1.0.0/24"), destination{action::forward, {path{std::nullopt, 11, 1}}});
    EXPECT_EQ(kind("20.1.2.3", red), hop_kind::forward);
    EXPECT_EQ(entry("20.1.2.3", red).port, 1);
    EXPECT_EQ(kind("10.1.0.2", red), hop_kind::connected);
    EXPECT_EQ(entry("10.1.0.2", red).interface, 11U);
    EXPECT_EQ(kind("20.1.2.3"), hop_kind::no_route) << "not back";
}

TEST_F(ForwardingVrfs, GroupsServeAllVrfs) {
    resolve(11, "10.1.0.2", 8);
    made->set_group({7}, via("10.1.0.2", 11));
    announce_in(red, net4("20.0.0.0/8"), group_id{7});
    announce_in(blue, net6("2001:db8:9::/48"), group_id{7});
    EXPECT_EQ(kind("20.1.2.3", red), hop_kind::forward);
    EXPECT_EQ(kind("2001:db8:9::1", blue), hop_kind::forward);
}

TEST_F(ForwardingVrfs, ARefreshIsOneOfAllVrfs) {
    announce(net4("20.0.0.0/8"), via("10.1.0.2", 11));
    announce_in(red, net4("20.0.0.0/8"), via("10.0.0.2"));
    announce_in(red, net4("21.0.0.0/8"), via("10.0.0.2"));
    made->begin_refresh();
    EXPECT_EQ(made->stale().ipv4, (stale_count{3, 3}));
    announce_in(red, net4("20.0.0.0/8"), via("10.0.0.2"));
    EXPECT_EQ(made->stale().ipv4, (stale_count{3, 2}));
    made->sweep();
    made->commit();
    EXPECT_EQ(kind("20.1.2.3"), hop_kind::no_route);
    EXPECT_NE(kind("20.1.2.3", red), hop_kind::no_route);
    EXPECT_EQ(kind("21.1.2.3", red), hop_kind::no_route);
    EXPECT_EQ(kind("10.0.0.1", red), hop_kind::local) << "own addresses are no routes of a source";
}

// The kernel's messages after `ip link add blue type vrf table 200; ip link set fp0 master blue`.
TEST_F(ForwardingVrfs, AVrfDeviceOfTheKernelDecides) {
    interfaces& links = made->links();
    links.set_link({30, "kblue", mac_of(3), 65536, true, 0, 0, false, 0, 200});
    links.set_link(tap(30));
    links.commit();
    EXPECT_EQ(links.vrf_of(10), blue);
    EXPECT_EQ(links.vrf_of(12), blue);
    EXPECT_EQ(links.vrf_of(30), blue) << "the device itself";
    EXPECT_EQ(kind("10.0.0.1", blue), hop_kind::local);
    EXPECT_EQ(kind("10.0.0.1", red), hop_kind::no_route);
    EXPECT_EQ(made->view().vrfs->get().of(0, 0), blue);
    links.set_link(tap(0));
    links.commit();
    EXPECT_EQ(kind("10.0.0.1", red), hop_kind::local);
    EXPECT_EQ(made->view().vrfs->get().of(0, 0), red);
}

TEST_F(ForwardingVrfs, ADeviceWhoseTableNoVrfHasDoesNotDecide) {
    made->links().set_link({30, "other", mac_of(3), 65536, true, 0, 0, false, 0, 999});
    made->links().set_link({31, "bridge", mac_of(3), 1500, true, 0, 0});
    for (const std::uint32_t master : {30u, 31u, 99u}) {
        made->links().set_link(tap(master));
        made->links().commit();
        EXPECT_EQ(made->links().vrf_of(10), red) << master;
    }
}

TEST_F(ForwardingVrfs, TheMapOfDataThreads) {
    const vrf_map& map = made->view().vrfs->get();
    EXPECT_EQ(map.of(0, 0), red);
    EXPECT_EQ(map.of(0, 5), blue);
    EXPECT_EQ(map.of(1, 0), default_vrf);
    EXPECT_TRUE(map.ports[1].by_vlan.empty());
    EXPECT_EQ(map.of(7, 0), default_vrf) << "a port that does not exist";
}

TEST_F(ForwardingVrfs, ErrorsComeFromAddressesOfTheSameVrf) {
    interfaces& links = made->links();
    links.remove_address({10, at("10.0.0.1"), 24, std::nullopt, true});
    links.commit();
    EXPECT_FALSE(links.source_address(10, false)) << "other VRFs have addresses, but red has none";
    EXPECT_EQ(links.source_address(10, true), at("2001:db8::1"));
    EXPECT_EQ(links.source_address(11, false), at("10.1.0.1"));
}

} // namespace
} // namespace fingerpost::router
