// The kernel mirror in its own network namespace, changed with `ip` and compared with the output of `ip`.
#include "router/routes/kernel/kernel_mirror.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <iostream>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <linux/if_tun.h>

#include "router/tests/routes/recording_sink.hpp"
#include "router/tests/routes/shell.hpp"
#include "system/network_namespace.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {
namespace {

using namespace testing;
using namespace std::chrono_literals;

struct kernel_mirrors : ::testing::Test {
    std::string space = "fp-mirror-" + std::to_string(::getpid());
    bool made = false;
    system::event_loop loop = std::move(*system::event_loop::create());
    recorded_interfaces interfaces;
    recorded_routes routes;
    std::unique_ptr<kernel_mirror> mirror;

    void SetUp() override {
        const ::testing::AssertionResult added = system::shell("ip netns add " + space);
        made = bool(added);
        if (!made) {
            std::cerr << "SKIPPED: the kernel mirror is not tested, as no network namespace can be made (no "
                         "root?): "
                      << added.message() << '\n';
            GTEST_SKIP();
        }
        ip("link set lo up");
        ip("link add left type veth peer name right");
        ip("link set left address 02:00:00:00:00:01");
        ip("link set left mtu 1400");
        ip("link set left up");
        ip("link set right up");
        ip("addr add 10.0.0.1/24 dev left");
        ip("addr add 2001:db8:1::1/64 dev left nodad");
    }
    void TearDown() override {
        mirror.reset();
        if (made) {
            EXPECT_TRUE(system::shell("ip netns del " + space));
        }
    }

    void ip(const std::string& arguments) const {
        EXPECT_TRUE(system::shell("ip -n " + space + " " + arguments));
    }
    void follow(int receive_buffer = 8 << 20) {
        auto opened = kernel_mirror::open(loop, interfaces, &routes, {space, receive_buffer});
        ASSERT_TRUE(opened) << (opened ? "" : opened.error().reason);
        mirror = std::move(*opened);
        ASSERT_TRUE(until([&] { return mirror->statistics().synchronised; }));
    }
    bool until(const std::function<bool()>& holds) {
        const auto end = system::event_loop::clock::now() + 60s; // sanitizers and busy machines are slow
        while (!holds() && system::event_loop::clock::now() < end)
            EXPECT_FALSE(loop.run_once(10ms));
        return holds();
    }
    std::optional<destination> at(const std::string& where) { return routes.resolved(network(where)); }
    std::uint32_t index(const std::string& name) {
        const link_state* const link = interfaces.link(name);
        return link == nullptr ? 0 : link->index;
    }
    // Waits until a route has this destination.
    void expect_route(const std::string& where, const std::optional<destination>& to) {
        EXPECT_TRUE(until([&] { return at(where) == to && routes.uncommitted == 0; })) << where;
    }

    // Compares the contents of both sinks with a newly started mirror.
    void expect_as_a_new_mirror_sees_it() {
        recorded_interfaces other_interfaces;
        recorded_routes other_routes;
        auto other = kernel_mirror::open(loop, other_interfaces, &other_routes, {space, 8 << 20});
        ASSERT_TRUE(other);
        EXPECT_TRUE(
            until([&] { return (*other)->statistics().synchronised && mirror->statistics().synchronised; }));
        EXPECT_TRUE(until([&] { return other_routes.routes == routes.routes; }));
        EXPECT_EQ(other_routes.groups, routes.groups);
        // Duplicate address detection may end in the meantime.
        EXPECT_TRUE(until([&] { return other_interfaces.addresses == interfaces.addresses; }));
        EXPECT_EQ(other_interfaces.links.size(), interfaces.links.size());
        EXPECT_EQ(other_interfaces.neighbours.size(), interfaces.neighbours.size());
        EXPECT_FALSE(routes.routes.empty());
    }
};

TEST_F(kernel_mirrors, what_was_there_before) {
    ip("neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev left nud permanent");
    ip("route add 20.0.0.0/8 via 10.0.0.9");
    ip("route add 20.0.0.0/8 via 10.0.0.8 metric 5");
    ip("route add 21.0.0.0/8 via 10.0.0.7 table 100");
    ip("route add blackhole 22.0.0.0/8");
    ip("-6 route add unreachable 2001:db8:2::/48");
    follow();
    const link_state* const left = interfaces.link("left");
    ASSERT_NE(left, nullptr);
    EXPECT_EQ(left->mac, (mac_address{2, 0, 0, 0, 0, 1}));
    EXPECT_EQ(left->mtu, 1400U);
    EXPECT_TRUE(left->up);
    EXPECT_EQ(interfaces.links.size(), 3U);
    const interface_address own{left->index, address("10.0.0.1"), 24, std::nullopt, true};
    EXPECT_EQ(interfaces.addresses[recorded_interfaces::key_of(own)], own);
    const neighbour& one = interfaces.neighbours[{left->index, address("10.0.0.9")}];
    EXPECT_EQ(one.state, neighbour_state::resolved);
    EXPECT_EQ(one.mac, (mac_address{2, 0, 0, 0, 0, 9}));
    EXPECT_EQ(at("20.0.0.0/8"), forward({by("10.0.0.9", left->index)}));
    EXPECT_EQ(at("22.0.0.0/8"), (destination{action::blackhole, {}}));
    EXPECT_EQ(at("2001:db8:2::/48"), (destination{action::unreachable, {}}));
    EXPECT_EQ(at("10.0.0.0/24"), forward({by("", left->index)})) << "connected";
    EXPECT_EQ(at("2001:db8:1::/64"), forward({by("", left->index)}));
    EXPECT_EQ(routes.routes.size(), 5U) << "nothing of other tables, no link-local and no multicast networks";
    EXPECT_EQ(routes.uncommitted, 0U);
    EXPECT_EQ(interfaces.commits, 1U);
}

TEST_F(kernel_mirrors, tables_of_vrfs) {
    vrf_list vrfs;
    const vrf_number red = vrfs.add({"red", 100}), blue = vrfs.add({"blue", 70'000});
    vrfs.add({"without_a_table", 0});
    vrfs.add({"empty", 71'000});
    ip("route add 20.0.0.0/8 via 10.0.0.2");
    ip("route add 20.0.0.0/8 via 10.0.0.3 table 100");
    ip("route add 20.0.0.0/8 via 10.0.0.4 table 70000");
    ip("-6 route add 2001:db8:9::/48 via 2001:db8:1::9 table 100");
    ip("route add 21.0.0.0/8 via 10.0.0.5 table 101");
    mirror_options options{space, 8 << 20};
    options.vrfs = vrfs;
    auto opened = kernel_mirror::open(loop, interfaces, &routes, options);
    ASSERT_TRUE(opened);
    mirror = std::move(*opened);
    ASSERT_TRUE(until([&] { return mirror->statistics().synchronised; }));
    EXPECT_EQ(mirror->statistics().errors, 0U);
    const std::uint32_t left = index("left");
    const any_prefix where = network("20.0.0.0/8");
    EXPECT_EQ(routes.resolved(where), forward({by("10.0.0.2", left)}));
    EXPECT_EQ(routes.resolved(where, red), forward({by("10.0.0.3", left)}));
    EXPECT_EQ(routes.resolved(where, blue), forward({by("10.0.0.4", left)}));
    EXPECT_EQ(routes.resolved(network("2001:db8:9::/48"), red), forward({by("2001:db8:1::9", left)}));
    EXPECT_EQ(routes.routes.size(), 1U) << "none of other tables, nor those of the addresses";
    ip("route del 20.0.0.0/8 table 100");
    EXPECT_TRUE(until([&] { return !routes.resolved(where, red); }));
    EXPECT_EQ(routes.resolved(where), forward({by("10.0.0.2", left)}));
    EXPECT_EQ(routes.resolved(where, blue), forward({by("10.0.0.4", left)}));
    ip("route replace 20.0.0.0/8 via 10.0.0.9 table 70000");
    EXPECT_TRUE(until([&] { return routes.resolved(where, blue) == forward({by("10.0.0.9", left)}); }));
}

TEST_F(kernel_mirrors, routes_that_change) {
    follow();
    const std::uint32_t left = index("left");
    ip("route add 20.0.0.0/8 via 10.0.0.2");
    expect_route("20.0.0.0/8", forward({by("10.0.0.2", left)}));
    ip("route replace 20.0.0.0/8 nexthop via 10.0.0.2 weight 3 nexthop via 10.0.0.3 weight 256");
    expect_route("20.0.0.0/8", forward({by("10.0.0.2", left, 3), by("10.0.0.3", left, 256)}));
    ip("route add 21.0.0.0/8 via inet6 fe80::5 dev left");
    expect_route("21.0.0.0/8", forward({by("fe80::5", left)}));
    ip("route add 20.0.0.0/8 via 10.0.0.9 metric 7");
    ip("route del 20.0.0.0/8 metric 0");
    expect_route("20.0.0.0/8", forward({by("10.0.0.9", left)}));
    ip("route add prohibit 23.0.0.0/8");
    expect_route("23.0.0.0/8", destination{action::prohibit, {}});
    ip("-6 route add 2001:db8:9::/48 via fe80::1 dev left");
    ip("-6 route append 2001:db8:9::/48 via fe80::2 dev left");
    expect_route("2001:db8:9::/48", forward({by("fe80::1", left), by("fe80::2", left)}));
    ip("-6 route del 2001:db8:9::/48 via fe80::1 dev left");
    expect_route("2001:db8:9::/48", forward({by("fe80::2", left)}));
    ip("-6 route replace 2001:db8:9::/48 nexthop via fe80::3 dev left nexthop via fe80::4 dev left");
    expect_route("2001:db8:9::/48", forward({by("fe80::3", left), by("fe80::4", left)}));
    ip("-6 route del 2001:db8:9::/48");
    expect_route("2001:db8:9::/48", std::nullopt);
    ip("route add 24.0.0.0/8 via 10.0.0.4");
    ip("route append 24.0.0.0/8 via 10.0.0.5");
    expect_route("24.0.0.0/8", forward({by("10.0.0.4", left)}));
    ip("route del 24.0.0.0/8 via 10.0.0.4");
    expect_route("24.0.0.0/8", forward({by("10.0.0.5", left)}));
    expect_as_a_new_mirror_sees_it();
}

TEST_F(kernel_mirrors, next_hop_objects) {
    if (!system::shell("ip -n " + space + " nexthop add id 1 blackhole")) {
        std::cerr << "SKIPPED: this kernel has no next-hop objects\n";
        GTEST_SKIP();
    }
    ip("nexthop add id 2 via 10.0.0.2 dev left");
    ip("nexthop add id 3 via 10.0.0.3 dev left");
    ip("nexthop add id 10 group 2,4/3,7");
    ip("route add 20.0.0.0/8 nhid 10");
    follow();
    const std::uint32_t left = index("left");
    expect_route("20.0.0.0/8", forward({by("10.0.0.2", left, 4), by("10.0.0.3", left, 7)}));
    EXPECT_EQ(routes.groups[1], (destination{action::blackhole, {}}));
    ip("nexthop replace id 3 via 10.0.0.33 dev left");
    expect_route("20.0.0.0/8", forward({by("10.0.0.2", left, 4), by("10.0.0.33", left, 7)}));
    ip("nexthop add id 6 via fe80::6 dev left");
    ip("route add 21.0.0.0/8 nhid 6");
    expect_route("21.0.0.0/8", forward({by("fe80::6", left)}));
    ip("nexthop del id 3");
    expect_route("20.0.0.0/8", forward({by("10.0.0.2", left, 4)}));
    ip("nexthop del id 10");
    expect_route("20.0.0.0/8", std::nullopt); // removed by the kernel without a message
    expect_as_a_new_mirror_sees_it();
}

TEST_F(kernel_mirrors, routes_that_the_kernel_removes_silently) {
    ip("route add 20.0.0.0/8 via 10.0.0.2");
    ip("addr add 10.7.0.1/24 dev right");
    ip("route add 21.0.0.0/8 dev right src 10.7.0.1");
    ip("route add 22.0.0.0/8 via 10.7.0.9");
    follow();
    expect_route("22.0.0.0/8", forward({by("10.7.0.9", index("right"))}));
    ip("addr del 10.7.0.1/24 dev right");
    expect_route("21.0.0.0/8", std::nullopt);
    ip("link set left down");
    expect_route("20.0.0.0/8", std::nullopt);
    expect_route("10.0.0.0/24", std::nullopt);
    EXPECT_TRUE(until([&] { return !interfaces.link("left")->up; }));
    ip("link set left up");
    expect_route("10.0.0.0/24", forward({by("", index("left"))}));
    expect_as_a_new_mirror_sees_it();
}

TEST_F(kernel_mirrors, links_addresses_and_neighbours_that_change) {
    follow();
    ip("link add more type veth peer name other");
    EXPECT_TRUE(until([&] { return index("more") != 0; }));
    EXPECT_FALSE(interfaces.link("more")->up);
    ip("link set more up");
    ip("link set other up");
    EXPECT_TRUE(until([&] { return interfaces.link("more")->up; }));
    ip("link set other down");
    EXPECT_TRUE(until([&] { return !interfaces.link("more")->up; })) << "the carrier is gone";
    ip("link set more name renamed");
    EXPECT_TRUE(until([&] { return index("renamed") != 0 && index("more") == 0; }));
    ip("addr add 10.9.0.1 peer 10.9.0.2/32 dev renamed");
    const interface_address peer{index("renamed"), address("10.9.0.1"), 32, address("10.9.0.2"), true};
    EXPECT_TRUE(until([&] { return interfaces.addresses[recorded_interfaces::key_of(peer)] == peer; }));
    ip("neigh add 10.0.0.5 lladdr 02:00:00:00:00:05 dev left");
    const recorded_interfaces::neighbour_key five{index("left"), address("10.0.0.5")};
    EXPECT_TRUE(until([&] { return interfaces.neighbours[five].state == neighbour_state::resolved; }));
    ip("neigh change 10.0.0.5 lladdr 02:00:00:00:00:55 dev left");
    EXPECT_TRUE(until([&] { return interfaces.neighbours[five].mac[5] == 0x55; }));
    ip("neigh del 10.0.0.5 dev left");
    EXPECT_TRUE(until([&] {
        const auto found = interfaces.neighbours.find(five);
        return found == interfaces.neighbours.end() || found->second.state == neighbour_state::failed;
    }));
    ip("link del renamed");
    EXPECT_TRUE(until([&] { return index("renamed") == 0 && index("other") == 0; }));
    expect_as_a_new_mirror_sees_it();
}

TEST_F(kernel_mirrors, the_kernel_resolves_a_neighbour) {
    const std::string there = space + "-b";
    ASSERT_TRUE(system::shell("ip netns add " + there));
    ip("link set right netns " + there);
    EXPECT_TRUE(system::shell("ip -n " + there + " addr add 10.0.0.2/24 dev right"));
    EXPECT_TRUE(system::shell("ip -n " + there + " addr add 2001:db8:1::2/64 dev right nodad"));
    EXPECT_TRUE(system::shell("ip -n " + there + " link set right up"));
    follow();
    EXPECT_TRUE(until([&] { return interfaces.link("left")->up; }));
    const auto resolved = [&](const std::string& who) {
        EXPECT_FALSE(mirror->resolve(index("left"), address(who)));
        return until([&] {
            return interfaces.neighbours[{index("left"), address(who)}].state == neighbour_state::resolved;
        });
    };
    EXPECT_TRUE(resolved("10.0.0.2"));
    EXPECT_TRUE(resolved("2001:db8:1::2"));
    EXPECT_FALSE(mirror->resolve(index("left"), address("10.0.0.77")));
    EXPECT_TRUE(until([&] {
        return interfaces.neighbours[{index("left"), address("10.0.0.77")}].state == neighbour_state::failed;
    }));
    EXPECT_TRUE(system::shell("ip netns del " + there));
}

// The kernel does this for its own packets: it waits for a confirmation, asks, and gives up if there is no
// answer.
TEST_F(kernel_mirrors, the_kernel_asks_for_a_stale_neighbour) {
    for (const char* const time :
         {"base_reachable_time_ms=300", "delay_first_probe_time=1", "retrans_time_ms=50"})
        for (const char* const family : {"ipv4", "ipv6"}) {
            const std::string name = std::string("net.") + family + ".neigh.left." + time;
            EXPECT_TRUE(system::shell("ip netns exec " + space + " sysctl -w " + name));
        }
    for (const char* const one : {"10.0.0.9", "2001:db8:1::9"})
        ip(std::string("neigh add ") + one + " lladdr 02:00:00:00:00:09 dev left nud stale");
    follow();
    for (const char* const one : {"10.0.0.9", "2001:db8:1::9"}) {
        const neighbour& told = interfaces.neighbours[{index("left"), address(one)}];
        EXPECT_TRUE(told.stale);
        EXPECT_EQ(told.state, neighbour_state::resolved);
        EXPECT_FALSE(mirror->resolve(index("left"), address(one)));
        EXPECT_TRUE(until([&] { return told.state == neighbour_state::failed; })) << one;
        EXPECT_FALSE(told.stale);
    }
}

TEST_F(kernel_mirrors, carriers_of_taps) {
    system::unique_fd held; // the kernel only gives a carrier to TAPs that a program has open
    (void)system::in_network_namespace(space, [&] {
        held = system::unique_fd(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
        ifreq wanted{};
        wanted.ifr_flags = IFF_TAP | IFF_NO_PI;
        std::strcpy(wanted.ifr_name, "tap0");
        EXPECT_EQ(::ioctl(held.get(), TUNSETIFF, &wanted), 0);
    });
    ip("link set tap0 up");
    follow();
    const auto is_up = [&] { return interfaces.link("tap0")->up; };
    for (const bool up : {true, false, true}) {
        EXPECT_FALSE(mirror->set_carrier(index("tap0"), up));
        EXPECT_TRUE(until([&] { return is_up() == up; })) << up;
    }
}

TEST_F(kernel_mirrors, links_alone) {
    auto opened = kernel_mirror::open(loop, interfaces, nullptr, {space, 1 << 20, true});
    ASSERT_TRUE(opened);
    mirror = std::move(*opened);
    ASSERT_TRUE(until([&] { return mirror->statistics().synchronised; }));
    EXPECT_TRUE(interfaces.link("left")->up);
    EXPECT_TRUE(interfaces.addresses.empty());
    ip("neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev left");
    ip("link set right down");
    EXPECT_TRUE(until([&] { return !interfaces.link("left")->up; })) << "the other end of its cable";
    EXPECT_TRUE(interfaces.neighbours.empty());
}

TEST_F(kernel_mirrors, a_new_dump_sweeps_what_is_gone) {
    ip("route add 20.0.0.0/8 via 10.0.0.2");
    follow();
    // A route whose removal the mirror has missed.
    routes.announce(network("99.0.0.0/8"), destination{action::blackhole, {}});
    interfaces.set_neighbour({7, address("10.0.0.99"), {}, neighbour_state::resolved});
    interfaces.set_link({99, "gone", {}, 1500, true, 0, 0});
    const auto dumps = mirror->statistics().dumps;
    mirror->resynchronise();
    mirror->resynchronise();
    EXPECT_TRUE(
        until([&] { return mirror->statistics().dumps > dumps && mirror->statistics().synchronised; }));
    EXPECT_FALSE(at("99.0.0.0/8"));
    EXPECT_EQ(index("gone"), 0U);
    EXPECT_FALSE((interfaces.neighbours.contains({7, address("10.0.0.99")})));
    expect_as_a_new_mirror_sees_it();
}

TEST_F(kernel_mirrors, lost_events_lead_to_a_new_dump) {
    follow(4096);
    std::string batch = "/tmp/" + space + ".batch";
    std::FILE* const file = std::fopen(batch.c_str(), "w");
    ASSERT_NE(file, nullptr);
    for (int i = 0; i < 5000; ++i)
        std::fprintf(file, "route add 30.%d.%d.0/24 via 10.0.0.%d\n", i / 256, i % 256, 2 + i % 7);
    for (int i = 0; i < 5000; i += 3)
        std::fprintf(file, "route del 30.%d.%d.0/24\n", i / 256, i % 256);
    std::fclose(file);
    ip("-batch " + batch);
    std::remove(batch.c_str());
    EXPECT_TRUE(until([&] { return mirror->statistics().overruns > 0; }));
    EXPECT_TRUE(until([&] { return routes.routes.size() == 3333 + 2 && mirror->statistics().synchronised; }))
        << routes.routes.size();
    EXPECT_EQ(at("30.0.1.0/24"), forward({by("10.0.0.3", index("left"))}));
    EXPECT_FALSE(at("30.0.3.0/24"));
    expect_as_a_new_mirror_sees_it();
}

TEST_F(kernel_mirrors, changes_during_dumps) {
    follow();
    for (int round = 0; round < 20; ++round) {
        const std::string where = "40." + std::to_string(round) + ".0.0/16";
        mirror->resynchronise();
        ip("route add " + where + " via 10.0.0.2");
        EXPECT_FALSE(loop.run_once(1ms));
        ip("route replace " + where + " via 10.0.0.3");
        EXPECT_FALSE(loop.run_once(1ms));
        if (round % 2 == 0)
            ip("route del " + where);
    }
    EXPECT_TRUE(until([&] { return routes.routes.size() == 12; })) << routes.routes.size();
    expect_as_a_new_mirror_sees_it();
}

// Events that arrive during a dump are read in turns of 64. The last turn may read the last event.
TEST_F(kernel_mirrors, dumps_end_after_any_number_of_events) {
    follow();
    const std::string batch = "/tmp/" + space + ".batch";
    for (const int events : {62, 63, 64, 65, 127, 128}) {
        std::FILE* const file = std::fopen(batch.c_str(), "w");
        ASSERT_NE(file, nullptr);
        for (int i = 0; i < events; ++i)
            std::fprintf(file, "route add 50.%d.%d.0/24 via 10.0.0.2\n", events, i);
        std::fclose(file);
        const auto dumps = mirror->statistics().dumps;
        mirror->resynchronise();
        ASSERT_TRUE(until([&] { return !mirror->statistics().synchronised; }));
        ip("-batch " + batch);
        EXPECT_TRUE(until([&] { return mirror->statistics().dumps > dumps; })) << events;
    }
    std::remove(batch.c_str());
    EXPECT_EQ(routes.routes.size(), 2U + 62 + 63 + 64 + 65 + 127 + 128);
}

// The kernel's dump of IPv6 lacks routes while others are removed.
TEST_F(kernel_mirrors, ipv6_routes_stay_while_others_go) {
    constexpr int stays = 10'000;
    constexpr int changes = 400;
    const std::string batch = "/tmp/" + space + ".batch";
    const auto write = [&](const std::function<void(std::FILE*)>& lines) {
        std::FILE* const file = std::fopen(batch.c_str(), "w");
        ASSERT_NE(file, nullptr);
        lines(file);
        std::fclose(file);
    };
    write([](std::FILE* file) {
        for (int i = 0; i < stays; ++i)
            std::fprintf(file, "route add blackhole 2001:db9:%x::/48\n", i);
    });
    ip("-6 -batch " + batch);
    follow(64 << 20);
    const auto all = [&] {
        return std::count_if(routes.routes.begin(), routes.routes.end(), [](const auto& one) {
            const auto* const p = std::get_if<ipv6_prefix>(&one.first);
            return p != nullptr && top64(p->base) >> 32 == 0x2001'0db9;
        });
    };
    ASSERT_EQ(all(), stays);
    write([](std::FILE* file) {
        for (int round = 0; round < 200; ++round)
            for (const char* verb : {"add", "del"})
                for (int i = 0; i < changes; ++i)
                    std::fprintf(file, "route %s blackhole 2001:db8:%x::/48\n", verb, i);
    });
    // Runs in the background; the file disappears at its end.
    ASSERT_EQ(std::system(("(ip -n " + space + " -6 -batch " + batch + "; rm " + batch + ") &").c_str()), 0);
    while (::access(batch.c_str(), F_OK) == 0) {
        const auto dumps = mirror->statistics().dumps;
        mirror->resynchronise();
        ASSERT_TRUE(until([&] { return mirror->statistics().dumps > dumps; }));
        ASSERT_EQ(all(), stays);
    }
    EXPECT_TRUE(until([&] { return routes.routes.size() == stays + 2U; })) << routes.routes.size();
    expect_as_a_new_mirror_sees_it();
}

TEST_F(kernel_mirrors, without_routes) {
    auto opened = kernel_mirror::open(loop, interfaces, nullptr, {space, 1 << 20});
    ASSERT_TRUE(opened);
    mirror = std::move(*opened);
    EXPECT_TRUE(until([&] { return mirror->statistics().synchronised; }));
    EXPECT_NE(index("left"), 0U);
    ip("route add 20.0.0.0/8 via 10.0.0.2");
    ip("link set left down");
    EXPECT_TRUE(until([&] { return !interfaces.link("left")->up; }));
    EXPECT_EQ(mirror->statistics().dumps, 1U);
}

TEST(kernel_mirror, a_namespace_that_is_not_there_is_an_error) {
    system::event_loop loop = std::move(*system::event_loop::create());
    recorded_interfaces interfaces;
    const auto failed = kernel_mirror::open(loop, interfaces, nullptr, {"fingerpost-none", 4096});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().reason, "open /run/netns/fingerpost-none: No such file or directory");
}

} // namespace
} // namespace fingerpost::router
