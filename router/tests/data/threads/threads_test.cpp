// The data plane with running threads, while routes change.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "router/tests/data/packets.hpp"
#include "router/tests/data/ring_router.hpp"

namespace fingerpost::router {
namespace {

using testing::mac_of;
using testing::octets;
using testing::shape;

std::uint32_t word_at(const octets& bytes, std::size_t offset) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i)
        word = word << 8 | bytes[offset + i];
    return word;
}
void set_word(octets& bytes, std::size_t offset, std::uint32_t word) {
    for (std::size_t i = 0; i < 4; ++i)
        bytes[offset + i] = static_cast<std::uint8_t>(word >> (24 - 8 * i));
}

// Packets arrive at port 0 and leave by port 1. Prefix i is 20.0.i.0/24. Every change gives one prefix a new
// gateway, whose MAC address is the number of the change, and releases the former one, so that numbers of
// next hops are reused constantly.
class Threads : public ::testing::TestWithParam<shape>, protected testing::ring_router {
  protected:
    static constexpr std::uint32_t prefixes = 16;
    static constexpr std::uint32_t flows = 32; // of each prefix

    void SetUp() override {
        make(GetParam(), {.taps = false, .icmp_errors = false, .sleeps = true});
        add_address(11, "10.0.0.1", 8);
        for (std::uint32_t i = 0; i < prefixes; ++i)
            change(i);
        start();
    }

    static any_address gateway_of(std::uint32_t version) {
        return ipv4_address{0x0a000000u + 2 + version % 16'000'000};
    }

    void announce(std::uint32_t i, std::uint32_t version) {
        router->tables().announce(ipv4_prefix::make({0x14000000u | i << 8}, 24),
                                  destination{action::forward, {{gateway_of(version), 11, 1}}});
    }
    // Prefix i gets the next version, or one of the current ones.
    void change(std::uint32_t i) {
        i %= prefixes;
        ++changes;
        if (gateways_stay) {
            announce(i, 1 + changes % prefixes);
            router->tables().commit();
            return;
        }
        const std::uint32_t version = ++versions;
        interfaces& links = router->tables().links();
        links.set_neighbour({11, gateway_of(version), mac_of(version), neighbour_state::resolved});
        if (current[i] != 0)
            links.remove_neighbour(11, gateway_of(current[i]));
        announce(i, version);
        links.commit(); // the tables, and with them the route, follow the neighbours
        router->poll();
        current[i] = version;
        owner.push_back(i);
    }
    // One packet of a flow, with its number in the flow as data.
    void send(std::uint32_t i, std::uint32_t flow) {
        if (rte_mempool_avail_count(&testing::test_pool()) < 256)
            return; // the threads cannot keep up
        octets bytes = testing::ipv4_frame().bytes;
        set_word(bytes, 14 + 16, 0x14000001u | i << 8);
        bytes[14 + 20] = static_cast<std::uint8_t>(flow);
        set_word(bytes, bytes.size() - 4, sent[i * flows + flow] + 1);
        set_word(bytes, bytes.size() - 8, flow);
        bytes[14 + 10] = bytes[14 + 11] = 0;
        const std::uint16_t sum = testing::reference_checksum(bytes.data() + 14, 20);
        bytes[14 + 10] = static_cast<std::uint8_t>(sum >> 8);
        bytes[14 + 11] = static_cast<std::uint8_t>(sum);
        testing::packet_pointer packet = testing::make_direct_packet(bytes);
        if (rte_ring_enqueue(ports[0]->in[0], packet.get()) != 0)
            return;
        packet.release();
        ++sent[i * flows + flow];
        ++sent_in_all;
    }
    void take() {
        for (const octets& bytes : ports[1]->take()) {
            ++came_out;
            check(bytes);
        }
    }
    // Checks that the version that a frame left by belonged to its prefix, and its order if requested.
    void check(const octets& bytes) {
        const std::uint32_t version = word_at(bytes, 2);
        const std::uint32_t i = bytes[14 + 18];
        const std::uint32_t flow = word_at(bytes, bytes.size() - 8);
        const std::uint32_t number = word_at(bytes, bytes.size() - 4);
        ASSERT_GE(version, 1u);
        ASSERT_LE(version, versions);
        if (!gateways_stay) {
            ASSERT_EQ(owner[version - 1], i) << "version " << version << " was never one of this prefix";
            return; // packets of a removed gateway go through the host thread
        }
        std::uint32_t& last = seen[i * flows + flow];
        ASSERT_GT(number, last) << "flow " << flow << " of prefix " << i;
        last = number;
    }
    // Sends and changes for a second, or longer until there were enough changes, because sanitizers and busy
    // machines are slow. Then waits until every packet has left or has been dropped and counted.
    void run() {
        using clock = std::chrono::steady_clock;
        constexpr std::uint32_t enough = 1000;
        std::uint32_t next = 0;
        const auto start = clock::now();
        const auto is_over = [&] {
            const auto spent = clock::now() - start;
            return spent > std::chrono::seconds(changes > enough ? 1 : 60);
        };
        while (!is_over() && !HasFatalFailure()) {
            for (int n = 0; n < 32; ++n, ++next)
                send(next % prefixes, next / prefixes % flows);
            for (int n = 0; n < 4; ++n)
                change(changes * 7);
            take();
            if (meanwhile)
                meanwhile();
        }
        const auto is_done = [&] { return came_out + dropped() == sent_in_all; };
        for (const auto end = clock::now() + std::chrono::seconds(20);
             clock::now() < end && !is_done() && !HasFatalFailure();) {
            take();
            router->poll();
            std::this_thread::yield();
        }
        router->stop();
        take();
        EXPECT_TRUE(is_done()) << sent_in_all << " sent, " << came_out << " came out";
        EXPECT_GT(changes, enough);
        EXPECT_GT(came_out, sent_in_all / 2);
        std::printf("%u changes, %llu packets\n", changes, static_cast<unsigned long long>(came_out));
    }
    std::function<void()> meanwhile; // called between changes
    bool gateways_stay = false;
    std::uint32_t changes = 0;
    std::uint32_t versions = 0;
    std::array<std::uint32_t, prefixes> current{};
    std::vector<std::uint32_t> owner; // by version - 1: the prefix that had it
    std::array<std::uint32_t, prefixes * flows> sent{};
    std::array<std::uint32_t, prefixes * flows> seen{};
    std::uint64_t sent_in_all = 0;
    std::uint64_t came_out = 0;
};

INSTANTIATE_TEST_SUITE_P(forms, Threads,
                         ::testing::Values(shape{run_mode::complete, 1, 1, 1},
                                           shape{run_mode::fused, 1, 2, 1},
                                           shape{run_mode::pipeline, 1, 1, 1},
                                           shape{run_mode::pipeline, 1, 2, 2}));

TEST_P(Threads, NoPacketLeavesByANextHopThatItsRouteNeverHad) {
    run();
    EXPECT_LT(router->tables().view().hops->size(), 2000u) << "numbers are used again";
}

TEST_P(Threads, StoppingSendsWhatIsInTheRings) {
    for (std::uint32_t n = 0; n < 200; ++n)
        send(n % prefixes, n % flows);
    // Received by now, though perhaps not sent.
    while (rte_ring_count(ports[0]->in[0]) != 0)
        std::this_thread::yield();
    router->stop();
    take();
    EXPECT_EQ(came_out, sent_in_all);
}

TEST_P(Threads, FlowsStayInOrderWhileTheirRoutesChange) {
    gateways_stay = true;
    run();
}

TEST_P(Threads, SchemesAreExchangedUnderTraffic) {
    gateways_stay = true;
    const std::vector<std::string> schemes{"poptrie", "planb", "hash_by_length", ""};
    unsigned calls = 0, exchanged = 0;
    meanwhile = [&] {
        if (++calls % 20 != 0)
            return;
        auto next = router->tables().begin_scheme(schemes[exchanged++ % schemes.size()]);
        ASSERT_TRUE(next);
        change(changes * 7);
        ASSERT_EQ(next->build(), errc::ok);
        change(changes * 7);
        ASSERT_EQ(router->tables().finish_scheme(*next), errc::ok);
    };
    run();
    EXPECT_GE(exchanged, schemes.size());
    EXPECT_EQ(dropped(drop_reason::no_route), 0u);
    EXPECT_FALSE(router->tables().begin_scheme("no such scheme"));
}

TEST_P(Threads, AreExchangedUnderTraffic) {
    const std::vector<shape> shapes{{run_mode::pipeline, 1, 2, 1}, {run_mode::complete, 1, 1, 1}, GetParam()};
    unsigned calls = 0, exchanged = 0;
    meanwhile = [&] {
        if (++calls % 20 != 0)
            return;
        exchange_threads(shapes[exchanged % shapes.size()], exchanged % 2 == 0 ? 64 : 32);
        ++exchanged;
    };
    run();
    EXPECT_GE(exchanged, shapes.size());
    EXPECT_EQ(dropped(drop_reason::no_route), 0u);
    EXPECT_LT(router->tables().view().hops->size(), 2000u) << "grace periods end after an exchange too";
}

} // namespace
} // namespace fingerpost::router
