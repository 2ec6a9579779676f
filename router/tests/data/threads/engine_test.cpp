// The whole data plane between ring devices: packets enter at one port and leave by the right one.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <rte_cycles.h>

#include "router/tests/data/packets.hpp"
#include "router/tests/data/ring_router.hpp"

namespace fingerpost::router {
namespace {

using testing::at;
using testing::frame;
using testing::mac_of;
using testing::octets;
using testing::shape;

// Two ports: 10.0.0.1/24 and 2001:db8::1/64 on port 0, 10.1.0.1/24 and 2001:db8:1::1/64 on port 1. The
// neighbour 10.1.0.2 and 2001:db8:1::2 on port 1 is known. 192.0.2.1 and its network are reached through
// 10.0.0.2 on port 0.
class Engine : public ::testing::TestWithParam<shape>, protected testing::ring_router {
  protected:
    void SetUp() override {
        make(GetParam(), {.mtus = {1500, 1400}});
        add_address(10, "10.0.0.1", 24);
        add_address(11, "10.1.0.1", 24);
        add_address(10, "2001:db8::1", 64);
        add_address(11, "2001:db8:1::1", 64);
        resolve(10, "10.0.0.2", 0x20);
        resolve(10, "2001:db8::2", 0x20);
        resolve(11, "10.1.0.2", 0x30);
        resolve(11, "2001:db8:1::2", 0x30);
        announce(*parse_prefix<ipv4_address>("192.0.2.0/24"), "10.0.0.2");
        announce(*parse_prefix<ipv4_address>("198.51.100.0/24"), "10.1.0.2");
        announce(*parse_prefix<ipv6_address>("2001:db8:1:7::/64"), "2001:db8:1::2");
        commit();
    }
    void expect_sums() const { EXPECT_EQ(unaccounted(), 0); }
};

INSTANTIATE_TEST_SUITE_P(
    forms, Engine,
    ::testing::Values(shape{run_mode::complete, 1, 1, 1, 2}, shape{run_mode::complete, 2, 1, 1, 1},
                      shape{run_mode::fused, 1, 1, 1, 2}, shape{run_mode::fused, 1, 2, 1, 4},
                      shape{run_mode::pipeline, 1, 1, 1, 2}, shape{run_mode::pipeline, 2, 2, 2, 2},
                      shape{run_mode::pipeline, 1, 3, 2, 1}));

// The test's frames are from 192.0.2.1 to 198.51.100.7, for 02:00:00:00:00:01.
frame from_test() {
    return testing::ipv4_frame();
}

TEST_P(Engine, ForwardsIpv4) {
    const frame in = from_test();
    ports[0]->put(in.bytes);
    run();
    const auto out = ports[1]->take();
    ASSERT_EQ(out.size(), 1u);
    octets wanted = in.ip_set(8, "3f").summed().bytes; // TTL 64 becomes 63
    const octets header = testing::hex("020000000030 020000000002 0800");
    ASSERT_EQ(in.bytes[in.ip + 8], 0x40);
    std::copy(header.begin(), header.end(), wanted.begin());
    EXPECT_EQ(out[0], wanted);
    EXPECT_TRUE(ports[0]->take().empty());
    expect_sums();
}

TEST_P(Engine, ForwardsIpv6ToANeighbourOfAConnectedNetwork) {
    const frame in = testing::ipv6_frame().ip_set(24, "20010db8000100000000000000000002");
    ports[0]->put(in.bytes);
    run();
    const auto out = ports[1]->take();
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0][5], 0x30);
    EXPECT_EQ(out[0][14 + 7], in.bytes[in.ip + 7] - 1);
    expect_sums();
}

TEST_P(Engine, TellsTheSenderThatTheTtlHasExpired) {
    ports[0]->put(from_test().ip_set(8, "01").summed().bytes);
    run();
    EXPECT_TRUE(ports[1]->take().empty());
    const auto out = ports[0]->take();
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0][5], 0x20) << "by the way back, through 10.0.0.2";
    EXPECT_EQ(octets(out[0].begin() + 14 + 12, out[0].begin() + 14 + 20), testing::hex("0a000001 c0000201"));
    EXPECT_EQ(out[0][14 + 20], 11) << "time exceeded";
    EXPECT_EQ(dropped(drop_reason::ttl_expired), 1u);
    expect_sums();
}

TEST_P(Engine, AnswersIpv6FromTheInterfaceThatThePacketCameInBy) {
    announce(*parse_prefix<ipv6_address>("2001:db8:5::/64"), "2001:db8:1::2"); // the sender's network
    commit();
    ports[0]->put(testing::ipv6_frame()
                      .ip_set(7, "01")
                      .ip_set(8, "20010db8000500000000000000000001")
                      .ip_set(24, "20010db8000100000000000000000002")
                      .bytes);
    run();
    EXPECT_TRUE(ports[0]->take().empty());
    const auto out = ports[1]->take();
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(octets(out[0].begin() + 14 + 8, out[0].begin() + 14 + 24),
              testing::hex("20010db8 00000000 00000000 00000001"));
    EXPECT_EQ(out[0][14 + 40], 3) << "time exceeded";
    expect_sums();
}

TEST_P(Engine, DoesNotAnswerItself) {
    announce(*parse_prefix<ipv6_address>("2001:db8:9::/64"), action::prohibit);
    commit();
    ports[0]->put(testing::ipv6_frame()
                      .ip_set(8, "20010db8000000000000000000000001")
                      .ip_set(24, "20010db8000900000000000000000001")
                      .bytes);
    run();
    EXPECT_TRUE(ports[0]->take().empty());
    EXPECT_TRUE(taps[0]->take().empty());
    EXPECT_EQ(dropped(drop_reason::prohibit), 1u);
    EXPECT_EQ(dropped(drop_reason::martian_source), 1u) << "the answer";
    expect_sums();
}

TEST_P(Engine, TellsWhyThereIsNoWay) {
    struct {
        const char* destination; // in bytes
        int type_and_code;
        drop_reason why;
    } const cases[] = {
        {"cb007101", 0x0300, drop_reason::no_route},
        {"cb007201", 0x0301, drop_reason::unreachable},
        {"cb007301", 0x030d, drop_reason::prohibit},
        {"cb007401", 0, drop_reason::blackhole},
    };
    announce(*parse_prefix<ipv4_address>("203.0.114.0/24"), action::unreachable);
    announce(*parse_prefix<ipv4_address>("203.0.115.0/24"), action::prohibit);
    announce(*parse_prefix<ipv4_address>("203.0.116.0/24"), action::blackhole);
    commit();
    for (const auto& one : cases) {
        SCOPED_TRACE(one.destination);
        ports[0]->put(from_test().ip_set(16, one.destination).summed().bytes);
        run();
        EXPECT_EQ(dropped(one.why), 1u);
        const auto out = ports[0]->take();
        ASSERT_EQ(out.size(), one.type_and_code == 0 ? 0u : 1u);
        if (!out.empty()) {
            EXPECT_EQ(out[0][34] << 8 | out[0][35], one.type_and_code);
        }
    }
    EXPECT_TRUE(ports[1]->take().empty());
    expect_sums();
}

TEST_P(Engine, GivesTheKernelWhatIsForItAndSendsWhatComesFromIt) {
    const frame own = from_test().ip_set(16, "0a010001").summed(); // the address of the other port
    ports[0]->put(own.bytes);
    const octets arp = testing::hex("ffffffffffff 020000000099 0806 0001080006040001"
                                    "0200000000990a000063000000000000 0a000001");
    ports[0]->put(arp);
    run();
    EXPECT_EQ(taps[0]->take(), (std::vector<octets>{arp, own.bytes}));
    EXPECT_EQ(sum(&thread_counters::to_kernel), 2u);
    EXPECT_TRUE(taps[1]->take().empty());
    taps[1]->put(arp);
    run();
    EXPECT_EQ(ports[1]->take(), std::vector<octets>{arp});
    expect_sums();
}

TEST_P(Engine, HoldsPacketsUntilTheNeighbourIsKnown) {
    announce(*parse_prefix<ipv4_address>("203.0.113.0/24"), "10.1.0.9");
    commit();
    const frame in = from_test().ip_set(16, "cb007107").summed();
    std::vector<std::uint8_t> sent;
    for (std::uint8_t i = 0; i < 5; ++i) {
        octets bytes = in.bytes;
        bytes.back() = i;
        ports[0]->put(bytes);
    }
    run();
    const auto asked = router->requests().take();
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0], (neighbour_key{11, at("10.1.0.9")}));
    EXPECT_TRUE(ports[1]->take().empty());
    resolve(11, "10.1.0.9", 0x44);
    commit();
    std::vector<octets> out;
    for (int i = 0; i < 100 && out.size() < 5; ++i) {
        rte_delay_us_block(200);
        run();
        for (octets& one : ports[1]->take())
            out.push_back(std::move(one));
    }
    ASSERT_EQ(out.size(), 5u);
    for (std::uint8_t i = 0; i < 5; ++i) {
        EXPECT_EQ(out[i].back(), i) << "in the order in which they came";
        EXPECT_EQ(out[i][5], 0x44);
        EXPECT_EQ(out[i][14 + 8], 0x3f);
    }
    expect_sums();
}

TEST_P(Engine, FragmentsWhatIsTooLongOrSaysSo) {
    frame in = from_test();
    in.bytes.resize(14 + 1500);
    in = in.ip_set(2, "05dc").ip_set(6, "0000").summed();
    ports[0]->put(in.bytes);
    run();
    const auto out = ports[1]->take();
    ASSERT_EQ(out.size(), 2u) << "an MTU of 1,400 on port 1";
    EXPECT_LE(out[0].size(), 14u + 1400);
    EXPECT_EQ(out[0].size() + out[1].size(), in.bytes.size() + 14 + 20);
    EXPECT_EQ(out[1][5], 0x30);
    EXPECT_EQ(out[1][14 + 8], 0x3f);
    EXPECT_EQ(sum(&thread_counters::generated), 1u);

    ports[0]->put(in.ip_set(6, "4000").summed().bytes);
    run();
    EXPECT_TRUE(ports[1]->take().empty());
    const auto error = ports[0]->take();
    ASSERT_EQ(error.size(), 1u);
    EXPECT_EQ(error[0][34] << 8 | error[0][35], 0x0304);
    EXPECT_EQ(error[0][40] << 8 | error[0][41], 1400);
    expect_sums();
}

TEST_P(Engine, SpreadsFlowsOverAGroupAndKeepsEachOnItsWay) {
    resolve(11, "10.1.0.3", 0x31);
    commit();
    router->tables().announce(
        *parse_prefix<ipv4_address>("198.51.100.0/24"),
        destination{action::forward, {{at("10.1.0.2"), 11, 1}, {at("10.1.0.3"), 11, 3}}});
    commit();
    std::map<std::uint8_t, unsigned> count;
    for (unsigned flow = 0; flow < 400; ++flow) {
        octets bytes = from_test().bytes;
        bytes[14 + 20] = static_cast<std::uint8_t>(flow >> 8);
        bytes[14 + 21] = static_cast<std::uint8_t>(flow);
        ports[0]->put(bytes);
        ports[0]->put(bytes);
        run();
        const auto out = ports[1]->take();
        ASSERT_EQ(out.size(), 2u);
        EXPECT_EQ(out[0][5], out[1][5]);
        ++count[out[0][5]];
    }
    EXPECT_EQ(count.size(), 2u);
    EXPECT_NEAR(count[0x31], 300, 60);
}

TEST_P(Engine, NeighboursThatAreSentToAreConfirmed) {
    const auto asked = [this] {
        std::vector<any_address> all;
        router->tables().confirm_used(10, [&](const neighbour_key& key) {
            all.push_back(key.address);
            return true;
        });
        return all;
    };
    const auto age = [this](const char* address) {
        router->tables().links().set_neighbour(
            {11, at(address), mac_of(0x30), neighbour_state::resolved, true});
        commit();
    };
    age("10.1.0.2");
    age("2001:db8:1::2");
    EXPECT_EQ(asked(), std::vector<any_address>{});
    ports[0]->put(from_test().bytes);
    run();
    EXPECT_EQ(asked(), std::vector{at("10.1.0.2")});
    ports[0]->put(testing::ipv6_frame().ip_set(24, "20010db8000100000000000000000002").bytes);
    run();
    EXPECT_EQ(asked(), std::vector{at("2001:db8:1::2")}) << "a neighbour of a connected network";
    EXPECT_EQ(ports[1]->take().size(), 2u);
    // Packets generated by the router.
    router->tables().links().set_neighbour(
        {10, at("10.0.0.2"), mac_of(0x20), neighbour_state::resolved, true});
    commit();
    ports[1]->put(from_test().set(5, "02").ip_set(8, "01").ip_set(16, "c0000205").summed().bytes);
    run();
    EXPECT_EQ(ports[0]->take().size(), 1u) << "an ICMP error";
    EXPECT_EQ(asked(), std::vector{at("10.0.0.2")});
    expect_sums();
}

TEST_P(Engine, PortsFollowTheMacsOfTheirTaps) {
    router->tables().links().set_link({11, "fp1", mac_of(0x77), 1400, true, 0, 0});
    router->tables().links().set_link({10, "fp0", mac_of(0x66), 1500, true, 0, 0});
    router->tables().links().set_link({30, "vrrp", mac_of(0x88), 1500, true, 10, 0, true});
    commit();
    ports[0]->put(from_test().bytes);
    ports[0]->put(from_test().set(5, "66").bytes);
    ports[0]->put(from_test().set(5, "88").bytes);
    run();
    EXPECT_EQ(dropped(drop_reason::not_for_us), 1u);
    const auto out = ports[1]->take();
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(octets(out[0].begin(), out[0].begin() + 12), testing::hex("020000000030 020000000077"));
    EXPECT_EQ(rte_eth_promiscuous_get(ports[0]->number), 1) << "the device cannot be given another address";
    router->tables().links().set_link({10, "fp0", mac_of(1), 1500, true, 0, 0});
    router->tables().links().remove_link(30);
    commit();
    ports[0]->put(from_test().bytes);
    ports[0]->put(from_test().set(5, "88").bytes);
    run();
    EXPECT_EQ(ports[1]->take().size(), 1u);
    EXPECT_EQ(dropped(drop_reason::not_for_us), 2u);
    expect_sums();
}

TEST_P(Engine, CountsAddUpWhateverComes) {
    std::mt19937 random(4711);
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    announce(*parse_prefix<ipv4_address>("203.0.116.0/24"), action::blackhole);
    commit();
    for (int round = 0; round < 300; ++round) {
        for (unsigned n = pick(70); n-- > 0;) {
            octets bytes = pick(2) == 0 ? testing::ipv4_frame().bytes : testing::ipv6_frame().bytes;
            for (unsigned changes = pick(4); changes-- > 0;)
                bytes[pick(static_cast<unsigned>(bytes.size()))] = static_cast<std::uint8_t>(pick(256));
            if (pick(8) == 0)
                bytes.resize(1 + pick(static_cast<unsigned>(bytes.size())));
            ports[pick(2)]->put(bytes);
        }
        run();
        for (const auto& list : {&ports, &taps})
            for (const auto& one : *list)
                one->take();
    }
    expect_sums();
    EXPECT_GT(sum(&thread_counters::sent), 0u);
    EXPECT_GT(dropped(), 0u);
}

} // namespace
} // namespace fingerpost::router
