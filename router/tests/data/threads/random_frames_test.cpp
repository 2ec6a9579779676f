// The running router receives frames of every kind while its tables change. It must count each frame, lose no
// buffer, send nothing invalid, and forward normally afterwards.
//
// FINGERPOST_RANDOM_FRAMES is the number of frames for each mode, FINGERPOST_SEED chooses them.
#include "router/tests/data/threads/random_frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "router/tests/data/random_bursts.hpp"
#include "router/tests/data/ring_router.hpp"

namespace fingerpost::router {
namespace {

using testing::frame;
using testing::kernel_ethertype;
using testing::number_from;
using testing::octets;
using testing::random_frames;
using testing::shape;

unsigned word_at(const octets& bytes, std::size_t offset) {
    return static_cast<unsigned>(bytes[offset] << 8 | bytes[offset + 1]);
}

std::string fault_of_ipv4(const octets& bytes, std::size_t ip) {
    const std::size_t length = bytes.size() - ip;
    const std::size_t header = (bytes[ip] & 15u) * 4u;
    if (length < 20 || bytes[ip] >> 4 != 4 || header < 20 || header > length)
        return "the header";
    if (testing::reference_checksum(bytes.data() + ip, header) != 0)
        return "the header checksum";
    if (word_at(bytes, ip + 2) != length)
        return "the total length";
    if (bytes[ip + 16] == 127 || bytes[ip + 16] >> 4 == 14)
        return "the destination";
    return bytes[ip + 8] == 0 ? "the TTL" : "";
}

std::string fault_of_ipv6(const octets& bytes, std::size_t ip) {
    const std::size_t length = bytes.size() - ip;
    if (length < 40 || bytes[ip] >> 4 != 6)
        return "the header";
    if (word_at(bytes, ip + 4) + 40 != length)
        return "the payload length";
    if (bytes[ip + 24] == 0xff)
        return "the destination";
    return bytes[ip + 7] == 0 ? "the hop limit" : "";
}

constexpr std::uint16_t mtus[] = {1500, 1400};

// The error in a packet that leaves; empty if the next router has no reason to refuse it, whatever it was
// made from.
std::string fault_of(unsigned port, const octets& bytes) {
    static const octets links[] = {testing::hex("020000000020 020000000001"),
                                   testing::hex("020000000020 020000000002")};
    if (bytes.size() < 14)
        return "the length";
    if (word_at(bytes, 12) == kernel_ethertype)
        return "";
    if (!std::equal(links[port].begin(), links[port].end(), bytes.begin()))
        return "the MAC addresses";
    const bool tagged = word_at(bytes, 12) == 0x8100;
    if (tagged && (port != 0 || word_at(bytes, 14) != 5))
        return "the tag";
    const std::size_t ip = tagged ? 18 : 14;
    if (bytes.size() - ip > mtus[port])
        return "the MTU";
    if (word_at(bytes, ip - 2) == 0x0800)
        return fault_of_ipv4(bytes, ip);
    return word_at(bytes, ip - 2) == 0x86dd ? fault_of_ipv6(bytes, ip) : "the Ethernet type";
}

// Ports 0 and 1 with networks 10.0.0.0/24 and 10.1.0.0/24, and VLAN 5 on port 0 with 10.5.0.0/24; likewise
// 2001:db8::/64, 2001:db8:1::/64 and 2001:db8:5::/64.
class RandomFrames : public ::testing::TestWithParam<shape>, protected testing::ring_router {
  protected:
    static constexpr std::chrono::seconds patience{20};
    static constexpr unsigned spare_buffers = 256; // for packets that the router generates

    void SetUp() override {
        buffers = rte_mempool_avail_count(&testing::test_pool());
        make(GetParam(), {.mtus = {mtus[0], mtus[1]}, .sleeps = true, .neighbour_packets = 4});
        router->tables().links().set_link({12, "fp0.5", testing::mac_of(1), 1500, true, 10, 5});
        const char* const networks[][2] = {
            {"10.0.0.", "2001:db8::"}, {"10.1.0.", "2001:db8:1::"}, {"10.5.0.", "2001:db8:5::"}};
        for (std::uint32_t i = 0; i < 3; ++i) {
            for (const std::string start : {networks[i][0], networks[i][1]}) {
                add_address(10 + i, (start + "1").c_str(), start.back() == '.' ? 24 : 64);
                for (const char* const host : {"2", "3", "4"})
                    resolve(10 + i, (start + host).c_str(), 0x20);
            }
        }
        add_routes();
        commit();
        start();
    }
    void TearDown() override {
        router.reset();
        for (const auto& list : {&ports, &taps})
            for (const auto& one : *list)
                one->take();
        EXPECT_EQ(rte_mempool_avail_count(&testing::test_pool()), buffers) << "buffers were lost";
    }

    // Adds a route for IPv4 and one for IPv6.
    void route(unsigned number, action what) {
        const std::string text = std::to_string(number);
        announce(*parse_prefix<ipv4_address>("203.0." + text + ".0/24"), what);
        announce(*parse_prefix<ipv6_address>("2001:db8:a:" + hex_of(number) + "::/64"), what);
    }
    void route(unsigned number, std::vector<path> ipv4, std::vector<path> ipv6) {
        const std::string text = std::to_string(number);
        router->tables().announce(*parse_prefix<ipv4_address>("203.0." + text + ".0/24"),
                                  destination{action::forward, std::move(ipv4)});
        router->tables().announce(*parse_prefix<ipv6_address>("2001:db8:a:" + hex_of(number) + "::/64"),
                                  destination{action::forward, std::move(ipv6)});
    }
    // 113 is written 71, as in random_frames.cpp.
    static std::string hex_of(unsigned number) {
        char text[8];
        std::snprintf(text, sizeof text, "%x", number);
        return text;
    }

    void add_routes() {
        using testing::at;
        announce(*parse_prefix<ipv4_address>("192.0.2.0/24"), "10.0.0.2");
        announce(*parse_prefix<ipv4_address>("198.51.100.0/24"), "10.1.0.2");
        announce(*parse_prefix<ipv4_address>("64.0.0.0/2"), "10.0.0.3");
        announce(*parse_prefix<ipv6_address>("2001:db8:2::/48"), "2001:db8::2");
        announce(*parse_prefix<ipv6_address>("2001:db8:1:7::/64"), "2001:db8:1::2");
        announce(*parse_prefix<ipv6_address>("4000::/2"), "2001:db8::3");
        route(113, {{at("10.0.0.2"), 10, 1}, {at("10.1.0.3"), 11, 3}},
              {{at("2001:db8::2"), 10, 1}, {at("2001:db8:1::3"), 11, 3}});
        route(114, action::unreachable);
        route(115, action::prohibit);
        route(116, action::blackhole);
        route(117, {{at("10.1.0.9"), 11, 1}}, {{at("2001:db8:1::9"), 11, 1}}); // never resolved
        route(118, {{at("10.5.0.2"), 12, 1}}, {{at("2001:db8:5::2"), 12, 1}});
    }

    // Changes one of the routes above, or a neighbour, for a while.
    void change() {
        const unsigned number = 113 + frames.below(6);
        const auto where = *parse_prefix<ipv4_address>("203.0." + std::to_string(number) + ".0/25");
        switch (frames.below(4)) {
        case 0:
            announce(where, frames.below(2) == 0 ? "10.1.0.4" : "10.0.0.4");
            break;
        case 1:
            announce(where, action::blackhole);
            break;
        case 2:
            router->tables().links().set_neighbour(
                {11, testing::at("10.1.0.4"), testing::mac_of(0x20),
                 frames.below(2) == 0 ? neighbour_state::failed : neighbour_state::resolved});
            break;
        default:
            router->tables().withdraw(where);
        }
        commit();
    }
    void withdraw_changes() {
        for (unsigned number = 113; number < 119; ++number)
            router->tables().withdraw(
                *parse_prefix<ipv4_address>("203.0." + std::to_string(number) + ".0/25"));
        resolve(11, "10.1.0.4", 0x20);
        commit();
    }

    // Performs the regular tasks of the control thread.
    void control() {
        router->poll();
        (void)router->requests().take();
    }

    void put(testing::ring_device& into, testing::packet_pointer packet) {
        ASSERT_EQ(rte_ring_enqueue(into.in[0], packet.release()), 0);
    }
    void send_one() {
        while (rte_mempool_avail_count(&testing::test_pool()) < spare_buffers) {
            take();
            control(); // otherwise waiting packets would stay forever
            std::this_thread::yield();
        }
        const unsigned port = frames.below(2);
        if (frames.below(16) == 0) {
            put(*taps[port], testing::make_packet(frames.next_of_kernel()));
            ++from_kernel;
        } else {
            put(*ports[port], frames.as_packet(frames.next(port)));
            ++received;
        }
    }

    void take() {
        for (unsigned port = 0; port < 2; ++port) {
            for (const octets& one : ports[port]->take()) {
                ++sent;
                expect_right(port, one);
            }
            to_kernel += taps[port]->take().size();
        }
    }

    void expect_right(unsigned port, const octets& bytes) {
        const std::string fault = fault_of(port, bytes);
        ASSERT_EQ(fault, "") << "port " << port << ": " << ::testing::PrintToString(bytes);
    }

    bool all_is_counted() const {
        return sum(&thread_counters::received) == received && unaccounted() == 0 &&
               sum(&thread_counters::from_kernel) == from_kernel && sum(&thread_counters::sent) == sent &&
               sum(&thread_counters::to_kernel) == to_kernel;
    }
    // Packets of unresolved neighbours are answered in the meantime, so the counters may change again when
    // they are read a second time. It is enough that they have added up once.
    void wait_until_all_is_counted() {
        using clock = std::chrono::steady_clock;
        const auto end = clock::now() + patience;
        bool counted = all_is_counted();
        while (!counted && clock::now() < end && !HasFatalFailure()) {
            take();
            control();
            std::this_thread::yield();
            counted = all_is_counted();
        }
        EXPECT_TRUE(counted) << "received " << sum(&thread_counters::received) << " of " << received
                             << ", from the kernel " << sum(&thread_counters::from_kernel) << " of "
                             << from_kernel << ", sent " << sum(&thread_counters::sent) << " and came out "
                             << sent << ", to the kernel " << sum(&thread_counters::to_kernel)
                             << " and came out " << to_kernel << ", unaccounted " << unaccounted();
    }

    // A valid packet must leave port 1 correctly. Others may leave before it: packets of unresolved
    // neighbours are answered seconds later.
    void expect_forwarded(const frame& in, std::size_t hops) {
        frame wanted = in.set(0, "020000000020 020000000002");
        --wanted.bytes[in.ip + hops];
        if (hops == 8)
            wanted = wanted.summed();
        put(*ports[0], testing::make_packet(in.bytes));
        ++received;
        bool came_out = false;
        using clock = std::chrono::steady_clock;
        for (const auto end = clock::now() + patience; clock::now() < end && !came_out;) {
            for (const octets& one : ports[1]->take()) {
                ++sent;
                came_out = came_out || one == wanted.bytes;
            }
            std::this_thread::yield();
        }
        EXPECT_TRUE(came_out);
    }

    random_frames frames{static_cast<std::uint32_t>(number_from("FINGERPOST_SEED", 1))};
    unsigned buffers = 0;
    std::uint64_t received = 0, from_kernel = 0, sent = 0, to_kernel = 0;
};

INSTANTIATE_TEST_SUITE_P(forms, RandomFrames,
                         ::testing::Values(shape{run_mode::complete, 1, 1, 1},
                                           shape{run_mode::fused, 1, 2, 1},
                                           shape{run_mode::pipeline, 1, 2, 2}));

TEST_P(RandomFrames, AreAllCountedAndHarmNothing) {
    const std::uint64_t count = number_from("FINGERPOST_RANDOM_FRAMES", 50'000);
    for (std::uint64_t i = 0; i < count && !HasFatalFailure(); ++i) {
        send_one();
        if (i % 64 == 0)
            take();
        if (i % 256 == 0)
            change();
        if (i % 1024 == 0)
            control();
    }
    wait_until_all_is_counted();
    withdraw_changes();
    expect_forwarded(testing::ipv4_frame(), 8);
    expect_forwarded(testing::ipv6_frame().ip_set(24, "20010db8000100070000000000000007"), 7);
    wait_until_all_is_counted();
    // All checks and all exits were used.
    for (const drop_reason_facts& one : drop_reasons)
        if (one.reason < drop_reason::unresolved_neighbour) {
            EXPECT_GT(dropped(one.reason), count / 10'000) << one.name;
        }
    EXPECT_GT(sent, count / 8);
    EXPECT_GT(to_kernel, count / 100);
    EXPECT_GT(sum(&thread_counters::generated), 0u);
    std::printf("%llu frames, %llu of the kernel: %llu sent, %llu made, %llu to the kernel, %llu dropped\n",
                static_cast<unsigned long long>(received), static_cast<unsigned long long>(from_kernel),
                static_cast<unsigned long long>(sent),
                static_cast<unsigned long long>(sum(&thread_counters::generated)),
                static_cast<unsigned long long>(to_kernel), static_cast<unsigned long long>(dropped()));
}

} // namespace
} // namespace fingerpost::router
