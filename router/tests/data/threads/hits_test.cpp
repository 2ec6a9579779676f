// Packet counts by next hop and by port, over all threads of a router.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include "router/tests/data/packets.hpp"
#include "router/tests/data/ring_router.hpp"

namespace fingerpost::router {
namespace {

using testing::shape;

class Hits : public ::testing::TestWithParam<shape>, protected testing::ring_router {
  protected:
    void SetUp() override {
        make(GetParam());
        add_address(10, "10.0.0.1", 24);
        add_address(11, "10.1.0.1", 24);
        resolve(11, "10.1.0.2", 0x30);
        resolve(11, "10.1.0.3", 0x31);
        announce(*parse_prefix<ipv4_address>("198.51.100.0/24"), "10.1.0.2");
        commit();
    }
    void put(unsigned count) {
        for (unsigned i = 0; i < count; ++i)
            ports[0]->put(testing::ipv4_frame().bytes);
        run();
    }
    // Uses a new flow each time, so that a group uses all of its paths.
    void put_flows(unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            char last[9];
            std::snprintf(last, sizeof last, "c63364%02x", i % 256);
            ports[0]->put(testing::ipv4_frame().ip_set(16, last).summed().bytes);
            if (i % 32 == 31) {
                run();
                ports[1]->take(); // to make room for more
            }
        }
        run();
    }
    next_hop hop() const { return std::as_const(*router).tables().routes<ipv4_address>().get(route()); }
    static ipv4_prefix route() { return *parse_prefix<ipv4_address>("198.51.100.0/24"); }
    std::uint64_t of_ports(counter port_counters::*which, std::size_t port) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < router->plan().threads.size(); ++i)
            sum += (router->counters(i).ports[port].*which).get();
        return sum;
    }
};

INSTANTIATE_TEST_SUITE_P(forms, Hits,
                         ::testing::Values(shape{run_mode::complete, 2, 1, 1, 2},
                                           shape{run_mode::fused, 1, 2, 1, 4},
                                           shape{run_mode::pipeline, 1, 2, 2, 1}));

TEST_P(Hits, AreThoseOfThePackets) {
    put(77);
    EXPECT_EQ(router->hits(hop()), 77u);
    EXPECT_EQ(router->hits(next_hop::none), 0u);
    EXPECT_EQ(of_ports(&port_counters::received, 0), 77u);
    EXPECT_EQ(of_ports(&port_counters::sent, 1), 77u);
    EXPECT_EQ(of_ports(&port_counters::sent, 0), 0u);
    EXPECT_EQ(of_ports(&port_counters::not_sent, 1), 0u);
    router->tables().withdraw(route());
    commit();
    put(5);
    EXPECT_EQ(router->hits(next_hop::none), 5u);
}

TEST_P(Hits, OfAGroupAreThoseOfItsPaths) {
    router->tables().announce(
        route(),
        destination{action::forward, {{testing::at("10.1.0.2"), 0, 1}, {testing::at("10.1.0.3"), 0, 3}}});
    commit();
    put_flows(512);
    const next_hop group = hop();
    EXPECT_EQ(router->hits(group), 512u);
    std::uint64_t sum = 0;
    std::vector<std::uint64_t> counts;
    for (const auto& path : std::as_const(*router).tables().hops().paths_of_group(group.id)) {
        counts.push_back(router->hits(next_hop{path.number}));
        sum += counts.back();
    }
    EXPECT_EQ(sum, 512u);
    ASSERT_EQ(counts.size(), 2u);
    EXPECT_GT(std::min(counts[0], counts[1]), 0u);
}

TEST_P(Hits, OfANumberBeginAnewWithItsNextHop) {
    put(9);
    const next_hop before = hop();
    EXPECT_EQ(router->hits(before), 9u);
    router->tables().withdraw(route());
    commit();
    // The number is free after a grace period, which all threads must pass.
    std::set<std::uint32_t> given;
    for (int i = 0; i < 100 && !given.contains(before.id); ++i) {
        run();
        router->poll();
        router->tables().withdraw(route());
        announce(route(), i % 2 == 0 ? "10.1.0.3" : "10.1.0.2");
        commit();
        given.insert(hop().id);
        EXPECT_EQ(router->hits(hop()), 0u);
    }
    EXPECT_TRUE(given.contains(before.id));
    put(4);
    EXPECT_EQ(router->hits(hop()), 4u);
}

TEST_P(Hits, SamplesAreOfPacketsThatWereLookedUp) {
    std::size_t samples = 0;
    put_flows(64 * 1024);
    router->take_samples([&](const packet_sample& one) {
        ASSERT_TRUE(std::holds_alternative<ipv4_address>(one.to));
        EXPECT_EQ(one.vrf, 0u);
        EXPECT_EQ(std::get<ipv4_address>(one.to).value >> 8, 0xc63364u);
        ++samples;
    });
    // One in 1,024: 64, plus or minus five standard deviations.
    EXPECT_GT(samples, 24u);
    EXPECT_LT(samples, 104u);
    EXPECT_EQ(router->lost_samples(), 0u);
    // One burst in 64 is timed, in each of its stages.
    std::uint64_t looked_up = 0;
    for (std::size_t i = 0; i < router->plan().threads.size(); ++i)
        for (const stage_time& one :
             router->counters(i).stages.by_stage[static_cast<std::size_t>(stage::look_up)]) {
            looked_up += one.packets.get();
            EXPECT_EQ(one.cycles.get() != 0, one.packets.get() != 0);
        }
    EXPECT_GT(looked_up, 64u * 1024 / 256);
    EXPECT_LT(looked_up, 64u * 1024 / 16);
}

} // namespace
} // namespace fingerpost::router
