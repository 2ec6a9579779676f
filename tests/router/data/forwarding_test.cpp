// From what sources and the kernel say to the entry that a data thread finds.
#include "router/forward/forwarding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "tests/router/data/packets.hpp"

namespace fingerpost::router {
namespace {

// Grace periods end when the test says so.
struct manual_clock final : grace_clock {
    std::uint64_t begun = 0;
    std::uint64_t over = 0;
    std::uint64_t begin() override { return ++begun; }
    bool is_over(std::uint64_t period) override { return period <= over; }
};

ipv4_prefix net4(const char* text) {
    return *parse_prefix<ipv4_address>(text);
}
ipv6_prefix net6(const char* text) {
    return *parse_prefix<ipv6_address>(text);
}
any_address at(const char* text) {
    if (const auto a = parse_address<ipv4_address>(text))
        return *a;
    return *parse_address<ipv6_address>(text);
}
destination via(const char* gateway, std::uint32_t interface = 0, std::uint16_t weight = 1) {
    return {action::forward, {{at(gateway), interface, weight}}};
}
constexpr mac_address mac_of(std::uint8_t last) {
    return {2, 0, 0, 0, 0, last};
}

using bytes = std::vector<std::uint8_t>;
// The Ethernet header that an IPv4 packet gets.
bytes written(const next_hop_entry& entry) {
    std::array<std::uint8_t, link_header::prepared_bytes> before{};
    entry.out.header.write_before(before.data() + before.size(), true);
    return {before.end() - entry.out.header.length(), before.end()};
}

// Port 0 is link 10 with the VLAN device 12 above it, port 1 is link 11, link 20 belongs to the kernel.
class Forwarding : public ::testing::Test {
  protected:
    void SetUp() override {
        testing::test_pool(); // starts DPDK
        auto created = forwarding::create({.taps = {"fp0", "fp1"}}, clock);
        ASSERT_TRUE(created);
        made = std::move(*created);
        interfaces& links = made->links();
        links.set_link({10, "fp0", mac_of(1), 1500, true, 0, 0});
        links.set_link({11, "fp1", mac_of(2), 9000, true, 0, 0});
        links.set_link({12, "fp0.5", mac_of(1), 1400, true, 10, 5});
        links.set_link({20, "eth9", mac_of(9), 1500, true, 0, 0});
        add_address(10, "10.0.0.1", 24);
        add_address(11, "10.1.0.1", 24);
        add_address(12, "10.5.0.1", 24);
        add_address(20, "192.168.9.1", 24);
        add_address(10, "2001:db8::1", 64);
        links.commit();
    }
    void add_address(std::uint32_t interface, const char* address, std::uint8_t length) {
        made->links().set_address({interface, at(address), length, std::nullopt, true});
    }
    void resolve(std::uint32_t interface, const char* address, std::uint8_t last_of_mac,
                 neighbour_state state = neighbour_state::resolved) {
        made->links().set_neighbour({interface, at(address), mac_of(last_of_mac), state});
        made->links().commit();
    }
    void announce(const any_prefix& where, const route_target& to) {
        made->announce(where, to);
        made->commit();
    }
    next_hop number(const char* address) {
        const auto view = made->view();
        const any_address a = at(address);
        if (const auto* const v4 = std::get_if<ipv4_address>(&a)) {
            auto reader = view.ipv4->reader();
            return reader->pin().lookup(*v4);
        }
        auto reader = view.ipv6->reader();
        return reader->pin().lookup(std::get<ipv6_address>(a));
    }
    const next_hop_entry& entry(const char* address) { return (*made->view().hops)[number(address)]; }
    hop_kind kind(const char* address) { return entry(address).kind; }
    void end_grace() {
        for (int i = 0; i < 3; ++i) {
            clock.over = clock.begun;
            made->poll();
        }
    }

    manual_clock clock;
    std::unique_ptr<forwarding> made;
};

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
    EXPECT_EQ(written(after), (bytes{2, 0, 0, 0, 0, 77, 2, 0, 0, 0, 0, 1, 8, 0}));
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
    EXPECT_EQ(written(one), (bytes{2, 0, 0, 0, 0, 77, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 5, 8, 0}));
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

TEST_F(Forwarding, ASweepWithdrawsWhatWasNotAnnouncedAgain) {
    announce(net4("20.0.0.0/8"), via("10.0.0.2"));
    announce(net4("21.0.0.0/8"), via("10.0.0.2"));
    announce(net4("22.0.0.0/8"), via("10.0.0.2"));
    announce(net6("2001:db8:9::/48"), via("2001:db8::2"));
    made->begin_refresh();
    announce(net4("20.0.0.0/8"), via("10.0.0.2"));
    announce(net4("22.0.0.0/8"), via("10.0.0.2"));
    made->withdraw(net4("22.0.0.0/8"));
    made->commit();
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::unresolved) << "stale routes are followed until the sweep";
    made->sweep();
    made->commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unresolved);
    EXPECT_EQ(kind("21.0.0.1"), hop_kind::no_route);
    EXPECT_EQ(kind("22.0.0.1"), hop_kind::no_route);
    EXPECT_EQ(kind("2001:db8:9::1"), hop_kind::no_route);
    EXPECT_EQ(kind("10.0.0.7"), hop_kind::connected);
    EXPECT_EQ(made->ipv4_counts().swept, 1u);
    made->sweep();
    made->commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unresolved) << "a sweep without a refresh does nothing";
}

TEST_F(Forwarding, ANumberIsUsedAgainOnlyAfterAGracePeriod) {
    end_grace();
    resolve(10, "10.0.0.2", 42);
    announce(net4("20.0.0.0/8"), via("10.0.0.2", 11));
    const next_hop old = number("20.0.0.1");
    made->withdraw(net4("20.0.0.0/8"));
    made->commit();
    std::set<std::uint32_t> others;
    const auto use_one = [&](int i) {
        const std::string prefix = std::to_string(100 + i) + ".0.0.0/8";
        announce(net4(prefix.c_str()), via(("10.0.0." + std::to_string(100 + i)).c_str(), 10));
        others.insert(number((std::to_string(100 + i) + ".0.0.1").c_str()).id);
    };
    for (int i = 0; i < 10; ++i)
        use_one(i);
    EXPECT_FALSE(others.contains(old.id));
    EXPECT_EQ((*made->view().hops)[old].interface, 11u) << "packets in flight still find their entry";
    end_grace();
    use_one(10);
    EXPECT_TRUE(others.contains(old.id)) << "now it is the lowest free number";
}

TEST_F(Forwarding, NothingIsLeftOfRoutesThatHaveGone) {
    end_grace();
    const std::size_t before = made->hops().size();
    const std::size_t numbers = made->view().hops->size();
    for (int round = 0; round < 50; ++round) {
        for (int i = 1; i < 50; ++i)
            made->announce(net4((std::to_string(i + 100) + ".0.0.0/8").c_str()),
                           via(("10.0.0." + std::to_string(i)).c_str(), 10));
        made->set_group({1}, {action::forward, {{at("10.0.0.2"), 10, 1}, {at("10.0.0.3"), 10, 1}}});
        made->announce(net4("99.0.0.0/8"), group_id{1});
        made->commit();
        for (int i = 1; i < 50; ++i)
            made->withdraw(net4((std::to_string(i + 100) + ".0.0.0/8").c_str()));
        made->withdraw(net4("99.0.0.0/8"));
        made->commit();
        end_grace();
    }
    EXPECT_EQ(made->hops().size(), before);
    EXPECT_EQ(made->view().hops->size(), numbers);
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

TEST_F(Forwarding, NothingIsVisibleBeforeItsCommit) {
    made->announce(net4("20.0.0.0/8"), via("10.0.0.2"));
    made->poll();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::no_route);
    made->commit();
    EXPECT_EQ(kind("20.0.0.1"), hop_kind::unresolved);
}

TEST_F(Forwarding, RandomChangesLeaveWhatTheLastOfThemSaid) {
    std::mt19937 random(4711);
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    std::map<ipv4_prefix, std::uint32_t> model; // the last byte of the gateway
    std::set<ipv4_prefix> fresh;
    bool refreshing = false;
    for (int round = 0; round < 400; ++round) {
        for (unsigned n = pick(20); n-- > 0;) {
            const auto where = ipv4_prefix::make({(32u + pick(4)) << 24 | pick(4) << 14}, 8 + 5 * pick(4));
            if (pick(3) != 0) {
                const std::uint32_t gateway = 2 + pick(30);
                made->announce(where,
                               destination{action::forward, {{ipv4_address{0x0a000000u + gateway}, 10, 1}}});
                model[where] = gateway;
                fresh.insert(where);
            } else {
                made->withdraw(where);
                model.erase(where);
                fresh.erase(where);
            }
        }
        if (pick(20) == 0 && !refreshing) {
            made->begin_refresh();
            refreshing = true;
            fresh.clear();
        } else if (pick(20) == 0 && refreshing) {
            made->sweep();
            refreshing = false;
            std::erase_if(model, [&](const auto& one) { return !fresh.contains(one.first); });
        }
        made->commit();
        if (pick(4) == 0)
            end_grace();
        auto reader = made->view().ipv4->reader();
        const auto now = reader->pin();
        for (int i = 0; i < 200; ++i) {
            const ipv4_address a{(32u + pick(4)) << 24 | pick(5) << 14 | pick(256)};
            std::uint32_t wanted = 0;
            int longest = -1;
            for (const auto& [where, gateway] : model)
                if (where.contains(a) && where.length > longest) {
                    longest = where.length;
                    wanted = 0x0a000000u + gateway;
                }
            const next_hop_entry& found = (*made->view().hops)[now.lookup(a)];
            ASSERT_EQ(found.kind, longest < 0 ? hop_kind::no_route : hop_kind::unresolved);
            ASSERT_EQ(found.gateway().value, wanted);
        }
    }
}

TEST_F(Forwarding, NumbersThatRunOutRefuseRoutesAndLoseNone) {
    auto small = forwarding::create({.taps = {"fp0"}, .most_next_hops = 2}, clock);
    ASSERT_TRUE(small);
    (*small)->announce(net4("20.0.0.0/8"), destination{action::blackhole, {}});
    (*small)->announce(net4("21.0.0.0/8"), destination{action::prohibit, {}});
    (*small)->announce(net4("22.0.0.0/8"), destination{action::unreachable, {}});
    (*small)->commit();
    EXPECT_EQ((*small)->ipv4_counts().refused, 1u);
    EXPECT_EQ((*small)->ipv4().size(), 2u);
    (*small)->withdraw(net4("20.0.0.0/8"));
    (*small)->commit();
    for (int i = 0; i < 3; ++i) {
        clock.over = clock.begun;
        (*small)->poll();
    }
    (*small)->announce(net4("22.0.0.0/8"), destination{action::unreachable, {}});
    (*small)->commit();
    EXPECT_EQ((*small)->ipv4().size(), 2u);
}

} // namespace
} // namespace fingerpost::router
