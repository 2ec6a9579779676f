// The whole data plane between ports made of rings: what goes in at one, and what comes out where.
#include "router/threads/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <rte_cycles.h>
#include <rte_ip.h>

#include "fingerpost/net/text.hpp"
#include "router/config/wiring.hpp"
#include "router/packet/notes.hpp"
#include "tests/router/data/packets.hpp"
#include "tests/router/data/ring_device.hpp"

namespace fingerpost::router {
namespace {

using testing::bytes_of;
using testing::frame;
using testing::octets;
using testing::ring_device;

any_address at(const char* text) {
    if (const auto a = parse_address<ipv4_address>(text))
        return *a;
    return *parse_address<ipv6_address>(text);
}

struct shape {
    run_mode mode;
    unsigned receive;
    unsigned lookup;
    unsigned send;
    unsigned transmit_queues; // that each port has
};

void PrintTo(const shape& one, std::ostream* to) {
    *to << name_of(one.mode) << " " << one.receive << "/" << one.lookup << "/" << one.send << ", "
        << one.transmit_queues << " transmit queues";
}

constexpr mac_address mac_of(std::uint8_t last) {
    return {2, 0, 0, 0, 0, last};
}

// Two ports: 10.0.0.1/24 and 2001:db8::1/64 on port 0, 10.1.0.1/24 and 2001:db8:1::1/64 on port 1. The
// neighbour 10.1.0.2 and 2001:db8:1::2 on port 1 is known, and 192.0.2.1 and its network are behind 10.0.0.2
// on port 0.
class Engine : public ::testing::TestWithParam<shape> {
  protected:
    void SetUp() override {
        testing::test_pool();
        const shape& form = GetParam();
        config settings;
        settings.threads.mode = form.mode;
        settings.threads.receive = form.receive;
        settings.threads.lookup = form.lookup;
        settings.threads.send = form.send;
        settings.ports.resize(2);
        for (int i = 0; i < 2; ++i) {
            settings.ports[static_cast<std::size_t>(i)].name = "fp" + std::to_string(i);
            ports.push_back(std::make_unique<ring_device>(form.transmit_queues));
            taps.push_back(std::make_unique<ring_device>(1));
        }
        const std::vector<port_queues> queues(2, {1, form.transmit_queues});
        engine_options wanted;
        wanted.plan = plan_wiring(settings, queues);
        for (std::size_t i = 0; i < 2; ++i) {
            wanted.devices.push_back(ports[i]->number);
            wanted.taps.push_back(taps[i]->number);
            wanted.tap_names.push_back("fp" + std::to_string(i));
            wanted.macs.push_back({{2, 0, 0, 0, 0, static_cast<std::uint8_t>(i + 1)}});
        }
        wanted.packets = &testing::test_pool();
        wanted.flows = flow_key(1);
        auto created = engine::create(std::move(wanted));
        ASSERT_TRUE(created);
        router = std::move(*created);

        interfaces& links = router->tables().links();
        links.set_link({10, "fp0", mac_of(1), 1500, true, 0, 0});
        links.set_link({11, "fp1", mac_of(2), 1400, true, 0, 0});
        add_address(10, "10.0.0.1", 24);
        add_address(11, "10.1.0.1", 24);
        add_address(10, "2001:db8::1", 64);
        add_address(11, "2001:db8:1::1", 64);
        resolve(10, "10.0.0.2", 0x20);
        resolve(10, "2001:db8::2", 0x20);
        resolve(11, "10.1.0.2", 0x30);
        resolve(11, "2001:db8:1::2", 0x30);
        links.commit();
        announce(*parse_prefix<ipv4_address>("192.0.2.0/24"), "10.0.0.2");
        announce(*parse_prefix<ipv4_address>("198.51.100.0/24"), "10.1.0.2");
        announce(*parse_prefix<ipv6_address>("2001:db8:1:7::/64"), "2001:db8:1::2");
        router->tables().commit();
    }
    void add_address(std::uint32_t interface, const char* address, std::uint8_t length) {
        router->tables().links().set_address({interface, at(address), length, std::nullopt, true});
    }
    void resolve(std::uint32_t interface, const char* address, std::uint8_t last_of_mac) {
        router->tables().links().set_neighbour(
            {interface, at(address), mac_of(last_of_mac), neighbour_state::resolved});
    }
    void announce(const any_prefix& where, const char* gateway) {
        router->tables().announce(where, destination{action::forward, {{at(gateway), 0, 1}}});
    }
    void announce(const any_prefix& where, action what) {
        router->tables().announce(where, destination{what, {}});
        router->tables().commit();
    }
    // Until nothing moves any more.
    void run() {
        while (router->round() != 0) {
        }
    }
    std::uint64_t sum(counter thread_counters::*which) const {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < router->plan().threads.size(); ++i)
            all += (router->counters(i).*which).get();
        return all;
    }
    std::uint64_t dropped(drop_reason why) const {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < router->plan().threads.size(); ++i)
            all += router->counters(i).dropped[index_of(why)].get();
        return all;
    }
    std::uint64_t dropped() const {
        std::uint64_t all = 0;
        for (const drop_reason_facts& one : drop_reasons)
            all += dropped(one.reason);
        return all;
    }
    void expect_sums() const {
        EXPECT_EQ(sum(&thread_counters::received) + sum(&thread_counters::from_kernel) +
                      sum(&thread_counters::made),
                  sum(&thread_counters::sent) + sum(&thread_counters::to_kernel) + dropped() +
                      router->waiting());
    }

    std::vector<std::unique_ptr<ring_device>> ports;
    std::vector<std::unique_ptr<ring_device>> taps;
    std::unique_ptr<engine> router;
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
    router->tables().commit();
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
        const char* destination; // as bytes
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
    router->tables().commit();
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
    router->tables().links().commit();
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
    EXPECT_EQ(sum(&thread_counters::made), 1u);

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
    router->tables().links().commit();
    router->tables().announce(
        *parse_prefix<ipv4_address>("198.51.100.0/24"),
        destination{action::forward, {{at("10.1.0.2"), 11, 1}, {at("10.1.0.3"), 11, 3}}});
    router->tables().commit();
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

TEST_P(Engine, CountsAddUpWhateverComes) {
    std::mt19937 random(4711);
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    announce(*parse_prefix<ipv4_address>("203.0.116.0/24"), action::blackhole);
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
