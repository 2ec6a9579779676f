// Neighbours in use are confirmed, packets are not sent to ports without a link, and interfaces have their
// own MAC addresses.
#include "router/tests/data/forward/forwarding_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "router/threads/links_view.hpp"

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

class Confirmations : public Forwarding {
  protected:
    // Makes the kernel's last confirmation of a neighbour old.
    void age(std::uint32_t interface, const char* address, std::uint8_t last_of_mac) {
        made->links().set_neighbour(
            {interface, at(address), mac_of(last_of_mac), neighbour_state::resolved, true});
        made->links().commit();
    }
    // Marks an entry like a sending thread.
    void use(const char* address) { entry(address).used.set(); }
    std::vector<any_address> asked(std::size_t most = 100) {
        std::vector<any_address> all;
        made->confirm_used(most, [&](const neighbour_key& key) {
            all.push_back(key.address);
            return true;
        });
        return all;
    }
    using addresses = std::vector<any_address>;
};

TEST_F(Confirmations, AreAskedForWhatIsUsedAndStale) {
    resolve(10, "10.0.0.2", 42);
    announce(net4("20.0.0.0/8"), via("10.0.0.2", 10));
    use("20.0.0.1");
    EXPECT_EQ(asked(), addresses{}) << "not stale";
    age(10, "10.0.0.2", 42);
    end_grace();
    EXPECT_EQ(asked(), addresses{at("10.0.0.2")}) << "used before it became stale";
    use("20.0.0.1");
    EXPECT_EQ(asked(), addresses{}) << "once";
    resolve(10, "10.0.0.2", 42);
    age(10, "10.0.0.2", 42);
    EXPECT_EQ(asked(), addresses{at("10.0.0.2")});
    age(10, "10.0.0.2", 42);
    EXPECT_EQ(asked(), addresses{}) << "not used since";
}

TEST_F(Confirmations, FollowEveryWayToANeighbour) {
    for (const char* const one : {"10.0.0.2", "10.0.0.3", "10.0.0.4", "10.1.0.5"})
        age(one[3] == '1' ? 11 : 10, one, 7);
    age(10, "2001:db8::9", 9);
    announce(net4("20.0.0.0/8"), via("10.0.0.2")); // without the interface
    made->set_group({7}, via("10.0.0.3", 10));
    announce(net4("21.0.0.0/8"), group_id{7}); // a next-hop object
    announce(net6("2001:db8:9::/48"), via("2001:db8::9", 10));
    for (const char* const to : {"20.0.0.1", "21.0.0.1", "2001:db8:9::1"}) {
        ASSERT_EQ(kind(to), hop_kind::forward) << to;
        use(to);
    }
    EXPECT_EQ(kind("10.1.0.5"), hop_kind::connected);
    const auto view = made->view();
    (*view.hops)[view.neighbours->find(11, ipv4_address{0x0a010005})].used.set();
    addresses all = asked();
    std::ranges::sort(all);
    addresses wanted = {at("10.0.0.2"), at("10.0.0.3"), at("10.1.0.5"), at("2001:db8::9")};
    std::ranges::sort(wanted);
    EXPECT_EQ(all, wanted) << "10.0.0.4 is stale, but not used";
}

TEST_F(Confirmations, ComeSoManyAtATimeAndLeaveNobodyOut) {
    constexpr unsigned count = 3000;
    const auto view = made->view();
    for (unsigned i = 0; i < count; ++i)
        made->links().set_neighbour(
            {11, ipv4_address{0x0a010000 + 256 + i}, mac_of(i), neighbour_state::resolved, true});
    made->links().commit();
    for (unsigned i = 0; i < count; ++i)
        (*view.hops)[view.neighbours->find(11, ipv4_address{0x0a010000 + 256 + i})].used.set();
    std::size_t all = 0;
    for (unsigned turn = 0; turn < count / 50; ++turn) {
        const std::size_t some = asked(50).size();
        EXPECT_EQ(some, 50U);
        all += some;
    }
    EXPECT_EQ(all, count);
    EXPECT_FALSE(made->links().has_unconfirmed());
}

TEST_F(Confirmations, AreTriedAgainWhenTheKernelCouldNotBeAsked) {
    age(10, "10.0.0.2", 42);
    announce(net4("20.0.0.0/8"), via("10.0.0.2", 10));
    use("20.0.0.1");
    EXPECT_EQ(made->confirm_used(100, [](const neighbour_key&) { return false; }), 0U);
    use("20.0.0.1");
    EXPECT_EQ(asked(), addresses{at("10.0.0.2")});
}

TEST_F(Confirmations, AreNotForNeighboursThatAreGone) {
    announce(net4("20.0.0.0/8"), via("10.0.0.2", 10));
    age(10, "10.0.0.2", 42);
    use("20.0.0.1");
    made->links().remove_neighbour(10, at("10.0.0.2"));
    made->links().commit();
    EXPECT_FALSE(made->links().has_unconfirmed());
    age(11, "10.1.0.2", 42);
    made->links().remove_link(11);
    EXPECT_FALSE(made->links().has_unconfirmed());
    age(10, "10.0.0.2", 42);
    made->links().begin_refresh();
    made->links().sweep();
    EXPECT_FALSE(made->links().has_unconfirmed());
}

TEST_F(Confirmations, AStaleNeighbourChangesNoTable) {
    resolve(10, "10.0.0.2", 42);
    unsigned changes = 0;
    made->on_links_change([&] { ++changes; });
    age(10, "10.0.0.2", 42);
    resolve(10, "10.0.0.2", 42);
    EXPECT_EQ(changes, 0U);
    age(10, "10.0.0.2", 43);
    EXPECT_EQ(changes, 1U) << "another MAC address";
}

TEST_F(Forwarding, APortWithoutALinkGetsNoFlowsBeforeTheKernelKnows) {
    announce(net4("20.0.0.0/8"),
             destination{action::forward, {{at("10.0.0.2"), 10, 1}, {at("10.1.0.2"), 11, 1}}});
    announce(net4("21.0.0.0/8"), via("10.5.0.2", 12));
    announce(net4("22.0.0.0/8"), via("10.1.0.2", 11));
    const bucket_array before = entry("20.0.0.1").buckets();
    made->links().set_port(0, false);
    made->links().commit();
    for (const std::uint32_t number : entry("20.0.0.1").buckets())
        EXPECT_EQ((*made->view().hops)[{number}].interface, 11u);
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::link_down) << "a VLAN device above the port";
    EXPECT_EQ(kind("22.0.0.1"), hop_kind::unresolved);
    made->links().set_port(0, true);
    made->links().commit();
    EXPECT_EQ(entry("20.0.0.1").buckets(), before);
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::unresolved);
}

TEST_F(Forwarding, AMacvlanDeviceSendsByItsOwnMac) {
    const mac_address virtual_mac{0, 0, 0x5e, 0, 1, 1};
    made->links().set_link({30, "vrrp1", virtual_mac, 1500, true, 10, 0, true});
    made->links().set_link({31, "vrrp2", virtual_mac, 1400, true, 12, 0, true}); // on top of the VLAN device
    resolve(30, "10.0.0.77", 77);
    resolve(31, "10.5.0.77", 78);
    announce(net4("20.0.0.0/8"), via("10.0.0.77", 30));
    announce(net4("21.0.0.0/8"), via("10.5.0.77", 31));
    EXPECT_EQ(written(entry("20.0.0.1")), testing::hex("02000000004d 00005e000101 0800"));
    EXPECT_EQ(written(entry("21.0.0.1")), testing::hex("02000000004e 00005e000101 81000005 0800"));
    EXPECT_EQ(made->links().find_interface(0, 0), 10u);
    EXPECT_EQ(made->links().find_interface(0, 5), 12u);
    made->links().set_link({10, "fp0", mac_of(1), 1500, false, 0, 0});
    made->links().commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::link_down) << "as the TAP below it";
}

TEST_F(Forwarding, ThePortsTakeFramesToTheMacsOfTheirInterfaces) {
    const std::vector<rte_ether_addr> of_devices = {{{2, 0, 0, 0, 0, 1}}, {{2, 0, 0, 0, 0, 2}}};
    const auto others = [&](std::size_t port) {
        std::string text;
        const links_view now = view_of(made->links(), of_devices, flow_key(1));
        for (const further_mac& one : now.ports[port].others)
            text += std::to_string(one.mac.addr_bytes[5]) + "/" + std::to_string(one.vlan) + " ";
        return text;
    };
    EXPECT_EQ(others(0), "");
    made->links().set_link({30, "vrrp1", mac_of(77), 1500, true, 10, 0, true});
    made->links().set_link({31, "vrrp2", mac_of(78), 1400, true, 12, 0, true});
    // mac_of(79), 1400, false, 10, 0, true}); || a router in reserve
    made->links().set_link({32, "vrrp3", mac_of(79), 1400, false, 10, 0, true});
    EXPECT_EQ(others(0), "77/0 78/5 ");
    EXPECT_EQ(others(1), "");
    made->links().set_link({12, "fp0.5", mac_of(5), 1400, true, 10, 5});
    EXPECT_EQ(others(0), "5/5 77/0 78/5 ") << "a VLAN device with a MAC address of its own";
    made->links().set_link({10, "fp0", mac_of(99), 1500, true, 0, 0});
    const links_view now = view_of(made->links(), of_devices, flow_key(1));
    EXPECT_EQ(now.ports[0].mac.addr_bytes[5], 99) << "the TAP's";
    EXPECT_EQ(now.ports[1].mac.addr_bytes[5], 2);
    EXPECT_EQ(now.by_port_and_vlan.at({0, 0}), 10u) << "not the macvlan device";
}

} // namespace
} // namespace fingerpost::router
