// Traces and captures of the whole data plane, in all thread modes.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "router/tests/data/packets.hpp"
#include "router/tests/data/ring_router.hpp"
#include "router/trace/watch_sessions.hpp"

namespace fingerpost::router {
namespace {

using namespace std::chrono_literals;
using std::chrono::minutes;
using testing::frame;
using testing::octets;
using testing::shape;

// 10.0.0.1/24 is on port 0, 10.1.0.1/24 on port 1. 198.51.100.0/24 is reached through 10.1.0.2, whose MAC
// address is known; 203.0.113.0/24 is a blackhole.
class Watch : public ::testing::TestWithParam<shape>, protected testing::ring_router {
  protected:
    void SetUp() override {
        make(GetParam(), {.mtus = {1500, 1400}});
        add_address(10, "10.0.0.1", 24);
        add_address(11, "10.1.0.1", 24);
        add_address(11, "2001:db8:1::1", 64);
        resolve(10, "10.0.0.2", 0x20);
        resolve(11, "10.1.0.2", 0x30);
        resolve(11, "2001:db8:1::2", 0x30);
        announce(*parse_prefix<ipv4_address>("192.0.2.0/24"), "10.0.0.2");
        announce(*parse_prefix<ipv4_address>("198.51.100.0/24"), "10.1.0.2");
        announce(*parse_prefix<ipv4_address>("203.0.113.0/24"), action::blackhole);
        announce(*parse_prefix<ipv6_address>("2001:db8:1:7::/64"), "2001:db8:1::2");
        commit();
        sessions = std::make_unique<watch_sessions>(*router, std::vector<std::string>{"left", "right"});
    }
    void TearDown() override { sessions.reset(); }

    void pass(const octets& bytes, std::size_t port = 0) {
        ports[port]->put(bytes);
        run();
        for (const auto& one : ports)
            one->take();
        for (const auto& one : taps)
            one->take();
    }
    // Lets a grace period pass, like the loop of the control thread.
    void poll() {
        for (int i = 0; i < 8; ++i)
            router->poll();
    }
    // Reads until the session ends.
    std::vector<packet_report> read_trace(std::uint64_t session) {
        std::vector<packet_report> all;
        for (int i = 0; i < 5000; ++i) {
            poll();
            const auto read = sessions->read_trace(session);
            EXPECT_TRUE(read);
            if (!read || read->has_ended)
                return all;
            missed = read->missed;
            if (read->packet)
                all.push_back(*read->packet);
        }
        ADD_FAILURE() << "the trace does not end";
        return all;
    }
    std::vector<dropped_packet> read_capture(std::uint64_t session) {
        std::vector<dropped_packet> all;
        for (int i = 0; i < 5000; ++i) {
            poll();
            const auto read = sessions->read_capture(session);
            EXPECT_TRUE(read);
            if (!read || read->has_ended)
                return all;
            if (read->packet)
                all.push_back(*read->packet);
        }
        ADD_FAILURE() << "the capture does not end";
        return all;
    }
    std::uint64_t trace(const trace_filter& wanted) {
        const auto started = sessions->start_trace(wanted, minutes(1));
        EXPECT_TRUE(started) << (started ? "" : started.error());
        return started ? *started : 0;
    }

    std::unique_ptr<watch_sessions> sessions;
    std::uint64_t missed = 0;
};

INSTANTIATE_TEST_SUITE_P(forms, Watch,
                         ::testing::Values(shape{run_mode::complete, 1, 1, 1, 2},
                                           shape{run_mode::fused, 1, 2, 1, 4},
                                           shape{run_mode::pipeline, 1, 1, 1, 2}));

std::string fact(const packet_facts& facts, const std::string& name) {
    for (const auto& [key, value] : facts)
        if (key == name) {
            const auto* const number = std::get_if<std::uint64_t>(&value);
            return number != nullptr ? std::to_string(*number) : std::get<std::string>(value);
        }
    return "no " + name;
}
std::vector<std::string> stages(const packet_report& told) {
    std::vector<std::string> names;
    for (const packet_event& one : told.events)
        names.emplace_back(one.what);
    return names;
}
using words = std::vector<std::string>;

TEST_P(Watch, TracesAForwardedPacket) {
    const std::uint64_t session = trace({.count = 1});
    pass(testing::ipv4_frame().bytes);
    pass(testing::ipv4_frame().bytes);
    const auto all = read_trace(session);
    ASSERT_EQ(all.size(), 1u);
    const packet_report& told = all[0];
    EXPECT_EQ(fact(told.facts, "port"), "left");
    EXPECT_EQ(fact(told.facts, "destination"), "198.51.100.7");
    EXPECT_EQ(fact(told.facts, "ttl"), "64");
    EXPECT_EQ(fact(told.facts, "length"), "60");
    ASSERT_EQ(stages(told), (words{"checked", "looked up", "sent"}));
    EXPECT_EQ(fact(told.events[0].facts, "verdict"), "forward");
    EXPECT_EQ(
        fact(told.events[0].facts, "passed"),
        "MAC address, VLAN, version, header length, checksum, length, source address, destination address, "
        "options");
    const packet_facts& lookup = told.events[1].facts;
    EXPECT_EQ(fact(lookup, "changed"), "0");
    EXPECT_EQ(fact(lookup, "prefix"), "198.51.100.0/24");
    EXPECT_EQ(fact(lookup, "via"), "10.1.0.2");
    EXPECT_EQ(fact(lookup, "action"), "forward");
    EXPECT_EQ(fact(lookup, "port"), "right");
    ASSERT_FALSE(told.steps.empty());
    EXPECT_EQ(told.steps.back().result, outcome::answered);
    const packet_facts& sent = told.events[2].facts;
    EXPECT_EQ(fact(sent, "port"), "right");
    EXPECT_EQ(fact(sent, "ttl"), "63");
    EXPECT_EQ(fact(sent, "ethernet_destination"), "02:00:00:00:00:30");
}

TEST_P(Watch, TracesAnIpv6Packet) {
    const std::uint64_t session = trace({.count = 1});
    pass(testing::ipv6_frame().ip_set(24, "20010db8000100070000000000000007").bytes);
    const auto all = read_trace(session);
    ASSERT_EQ(all.size(), 1u);
    ASSERT_EQ(stages(all[0]), (words{"checked", "looked up", "sent"}));
    EXPECT_EQ(fact(all[0].events[1].facts, "prefix"), "2001:db8:1:7::/64");
    EXPECT_EQ(fact(all[0].facts, "destination"), "2001:db8:1:7::7");
}

TEST_P(Watch, TracesWhatIsNotForwarded) {
    const std::uint64_t session = trace({.count = 5});
    pass(testing::ipv4_frame().ip_set(10, "0000").bytes);
    pass(testing::ipv4_frame().ip_set(16, "cb007101").summed().bytes); // 203.0.113.1
    pass(testing::ipv4_frame().ip_set(16, "08080808").summed().bytes);
    pass(testing::ipv4_frame().ip_set(8, "01").summed().bytes);
    pass(testing::ipv4_frame().ip_set(16, "0a000001").summed().bytes); // the router
    const auto all = read_trace(session);
    ASSERT_EQ(all.size(), 5u);
    EXPECT_EQ(stages(all[0]), (words{"checked", "dropped"}));
    EXPECT_EQ(fact(all[0].events[0].facts, "failed"), "checksum");
    EXPECT_EQ(fact(all[0].events[0].facts, "passed"), "MAC address, VLAN, version, header length");
    EXPECT_EQ(fact(all[0].events[1].facts, "reason"), "bad_ip_checksum");
    EXPECT_EQ(stages(all[1]), (words{"checked", "looked up", "dropped"}));
    EXPECT_EQ(fact(all[1].events[2].facts, "reason"), "blackhole");
    EXPECT_EQ(stages(all[2]), (words{"checked", "looked up", "host thread", "answered", "dropped"}));
    EXPECT_EQ(fact(all[2].events[1].facts, "prefix"), "no prefix");
    EXPECT_EQ(fact(all[2].events[4].facts, "reason"), "no_route");
    EXPECT_EQ(stages(all[3]), (words{"checked", "looked up", "host thread", "answered", "dropped"}));
    EXPECT_EQ(fact(all[3].events[3].facts, "icmp"), "time exceeded");
    EXPECT_EQ(stages(all[4]), (words{"checked", "looked up", "host thread", "to kernel"}));
}

TEST_P(Watch, FollowsGroupsAndNeighbours) {
    const std::uint64_t session = trace({.count = 1});
    pass(testing::ipv4_frame().ip_set(16, "0a010002").summed().bytes); // 10.1.0.2, in a connected network
    const auto all = read_trace(session);
    ASSERT_EQ(all.size(), 1u);
    const packet_facts& lookup = all[0].events[1].facts;
    EXPECT_EQ(fact(lookup, "prefix"), "10.1.0.0/24");
    EXPECT_EQ(fact(lookup, "action"), "forward");
    EXPECT_NE(fact(lookup, "neighbour"), "no neighbour");
}

TEST_P(Watch, TracesOnlyWhatIsAskedFor) {
    std::uint64_t session = trace({.to = *parse_prefix<ipv4_address>("198.51.100.8/29"), .count = 1});
    pass(testing::ipv4_frame().bytes);
    pass(testing::ipv4_frame().ip_set(16, "c6336409").summed().bytes);
    auto all = read_trace(session);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(fact(all[0].facts, "destination"), "198.51.100.9");

    session = trace({.port = std::uint16_t{1}, .count = 1});
    pass(testing::ipv4_frame().bytes, 0);
    pass(testing::ipv4_frame().set(0, "020000000002").ip_set(16, "c000020a").summed().bytes, 1);
    all = read_trace(session);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(fact(all[0].facts, "port"), "right");

    session = trace({.count = 2, .every = 3});
    for (int i = 0; i < 7; ++i)
        pass(testing::ipv4_frame().ip_set(16, "c6336400").ip_set(19, "0" + std::to_string(i)).summed().bytes);
    all = read_trace(session);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(fact(all[1].facts, "destination"), "198.51.100.3");
}

TEST_P(Watch, EndsAndCostsNothingBehindThat) {
    const std::uint64_t session = trace({.count = 5});
    EXPECT_FALSE(sessions->start_trace({}, minutes(1))) << "another one runs";
    pass(testing::ipv4_frame().bytes);
    sessions->stop(session);
    EXPECT_EQ(router->watch().trace.load(), nullptr);
    pass(testing::ipv4_frame().bytes);
    EXPECT_EQ(read_trace(session).size(), 1u);
    EXPECT_FALSE(sessions->read_trace(session)) << "it was read to its end";
    // The time is over immediately.
    const auto next = sessions->start_trace({}, std::chrono::milliseconds(0));
    ASSERT_TRUE(next);
    EXPECT_TRUE(read_trace(*next).empty());
}

// A killed reader cannot stop its session. Other readers wait exactly until its patience is over, and its
// packets are only kept until then.
TEST(WatchSession, IsFreeWhenItsReaderIsGone) {
    using session = watch_session<int>;
    struct no_readers final : grace_clock {
        std::uint64_t begin() override { return 0; }
        bool is_over(std::uint64_t) override { return true; }
    } clock;
    reclaimer old(clock);
    std::atomic<int*> published{nullptr};
    session one(published, old);
    const session::clock::time_point start{std::chrono::hours(1)};
    const auto after = [&](std::chrono::milliseconds time) { return start + time; };
    const auto poll = [&](std::chrono::milliseconds time) {
        one.poll(after(time), false);
        old.poll();
        old.poll(); // the grace period that the first call began is over
    };
    one.start(std::make_shared<int>(1), minutes(1), start);
    one.note_reader(after(4s));
    EXPECT_FALSE(one.is_free(after(4s)));
    EXPECT_EQ(one.left(after(4s)), 56s);
    EXPECT_FALSE(one.unread(after(4s)));
    EXPECT_EQ(one.unread(after(6s)), 2s);
    EXPECT_EQ(one.left(after(6s)), 13s) << "four seconds were read, so its reader is given up after 19";
    poll(18999ms);
    EXPECT_FALSE(one.is_free(after(18999ms)));
    EXPECT_TRUE(one.is_running());
    poll(19s);
    EXPECT_TRUE(one.is_free(after(19s)));
    EXPECT_NE(one.data(), nullptr) << "a reader that was only slow can still read it";
    one.start(std::make_shared<int>(2), minutes(1), after(19s));
    EXPECT_EQ(*one.data(), 2);
    EXPECT_FALSE(one.is_free(after(19s)));
    one.stop();
    EXPECT_EQ(one.left(after(20s)), 14s) << "it has ended, and its reader has 15 seconds for the rest";
    poll(20s);
    EXPECT_FALSE(one.is_free(after(20s)));
}

TEST_P(Watch, MissesPacketsWhenNobodyReads) {
    const std::uint64_t session = trace({.count = 5000});
    constexpr std::size_t sent = packet_trace::places + 100;
    for (std::size_t i = 0; i < sent; ++i)
        pass(testing::ipv4_frame().bytes);
    sessions->stop(session);
    EXPECT_EQ(read_trace(session).size(), packet_trace::places);
    EXPECT_EQ(missed, 100u);
    EXPECT_EQ(unaccounted(), 0);
}

TEST_P(Watch, CopiesDroppedPackets) {
    const auto session = sessions->start_capture(3, minutes(1));
    ASSERT_TRUE(session);
    EXPECT_FALSE(sessions->start_capture(1, minutes(1))) << "another one runs";
    const octets faulty = testing::ipv4_frame().ip_set(10, "0000").bytes;
    const octets black = testing::ipv4_frame().ip_set(16, "cb007101").summed().bytes;
    const octets expired = testing::ipv4_frame().ip_set(8, "01").summed().bytes;
    pass(testing::ipv4_frame().bytes);
    for (const octets& one : {faulty, black, expired, black})
        pass(one);
    const auto all = read_capture(*session);
    ASSERT_EQ(all.size(), 3u);
    const drop_reason reasons[] = {drop_reason::bad_ip_checksum, drop_reason::blackhole,
                                   drop_reason::ttl_expired};
    const octets frames[] = {faulty, black, expired};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(all[i].why, reasons[i]) << i;
        EXPECT_EQ(octets(all[i].bytes.begin(), all[i].bytes.begin() + all[i].bytes_copied), frames[i]) << i;
        EXPECT_EQ(all[i].length, frames[i].size()) << i;
        EXPECT_EQ(all[i].port, 0) << i;
        EXPECT_FALSE(all[i].is_outbound) << i;
    }
    EXPECT_EQ(router->watch().capture.load(), nullptr);
    EXPECT_EQ(unaccounted(), 0);
}

} // namespace
} // namespace fingerpost::router
