// The ports of the router's benchmark: no packet is lost on its way round, wrong gateways are detected, and
// an open circuit counts packets that arrive too late.
#include "router/bench/circuit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include <rte_cycles.h>

#include "fingerpost/registry/registry.hpp"
#include "router/bench/gateways.hpp"
#include "router/bench/plain_loop.hpp"
#include "router/bench/route_changes.hpp"
#include "router/bench/routed.hpp"
#include "router/tests/data/packets.hpp"

namespace fingerpost::bench {
namespace {

template <class A>
class Circuit : public ::testing::Test {
  protected:
    void SetUp() override {
        router::testing::test_pool(); // starts DPDK
        auto made = make_circuit<A>();
        ASSERT_TRUE(made);
        circle = std::move(*made);
        // 64.0.0.0/2 and similar prefixes to gateway 1, 80.0.0.0/4 inside it to gateway 2, the rest to
        // gateway 0.
        routes = {{prefix<A>{}, next_hop{70}},
                  {prefix<A>::make({bit(1)}, 2), next_hop{80}},
                  {prefix<A>::make({static_cast<value>(bit(1) | bit(3))}, 4), next_hop{90}}};
        gateways = number_gateways<A>(routes, 100);
        for (unsigned i = 0; i < 63; ++i) {
            const A a{static_cast<value>(static_cast<value>(i + 64) << (A::bits - 8) |
                                         1)}; // 64.0.0.1 and following
            trace.push_back(a);
            ways.push_back(prefix<A>::make({static_cast<value>(bit(1) | bit(3))}, 4).contains(a) ? 2U : 1U);
        }
        circle->play(trace);
    }
    using value = typename A::value_type;
    static value bit(unsigned place) { return value{1} << (A::bits - 1 - place); }

    // Receives from both ports and sends to either, at most `most` packets.
    unsigned pass(unsigned most, void (*change)(rte_mbuf&) = nullptr) {
        unsigned passed = 0;
        std::array<rte_mbuf*, 32> packets;
        for (const std::uint16_t device : circle->devices()) {
            const std::uint16_t count =
                rte_eth_rx_burst(device, 0, packets.data(), static_cast<std::uint16_t>(std::min(most, 32U)));
            for (unsigned i = 0; change != nullptr && i < count; ++i)
                change(*packets[i]);
            EXPECT_EQ(rte_eth_tx_burst(device, 0, packets.data(), count), count);
            passed += count;
        }
        return passed;
    }

    std::unique_ptr<circuit_for<A>> circle;
    std::vector<route<A>> routes;
    std::uint32_t gateways = 0;
    std::vector<A> trace;
    std::vector<std::uint32_t> ways;
};

using families = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(Circuit, families);

TYPED_TEST(Circuit, KeepsEveryPacketAndGivesItTheNextDestination) {
    auto& on = *this->circle;
    EXPECT_EQ(on.missing(), 0u);
    const std::uint64_t before = on.sent();
    unsigned passed = 0;
    for (int i = 0; i < 1000; ++i)
        passed += this->pass(32);
    EXPECT_EQ(passed, 64'000u);
    EXPECT_EQ(on.sent() - before, 64'000u);
    EXPECT_EQ(on.missing(), 0u);
    // Packets arrive in the order of the trace.
    std::array<rte_mbuf*, 2> packets{};
    ASSERT_EQ(rte_eth_rx_burst(on.devices()[0], 0, packets.data(), 2), 2);
    const auto* const first = rte_pktmbuf_mtod(packets[0], const std::uint8_t*);
    const auto* const second = rte_pktmbuf_mtod(packets[1], const std::uint8_t*);
    EXPECT_EQ((number_of(first) + 1) % this->trace.size(), number_of(second));
    EXPECT_EQ(on.missing(), 2u);
    rte_eth_tx_burst(on.devices()[0], 0, packets.data(), 2);
    EXPECT_EQ(on.missing(), 0u);
}

TYPED_TEST(Circuit, SeesWrongWays) {
    this->circle->check(&this->ways);
    for (int i = 0; i < 63 * 8 / 2; ++i)
        this->pass(1);
    // Unchanged frames have the MAC address of the ports, which contains a 1 like that of gateway 1.
    EXPECT_EQ(this->circle->wrong(), 8 * 16u);
    this->circle->check(nullptr);
    this->pass(32);
    EXPECT_EQ(this->circle->wrong(), 0u);
}

TYPED_TEST(Circuit, LosesWhatFindsNoPlaceWhileItIsOpen) {
    auto& on = *this->circle;
    on.open(0.01); // one packet in 100 seconds
    EXPECT_EQ(this->pass(32), 0u);
    EXPECT_EQ(on.lost(), 0u);
    EXPECT_EQ(on.missing(), 0u);
    on.open(1e9);
    this->pass(32); // the first one received starts the clock
    rte_delay_us_block(1000);
    EXPECT_EQ(this->pass(32), 64u);
    EXPECT_GE(on.lost(), 1'000'000u - 64 - 64 - queue_length) << "a million came in, and found 2,048 places";
    EXPECT_EQ(on.missing(), 0u);
    const std::vector<double> delays = on.delays_us();
    ASSERT_GE(delays.size(), 64u);
    EXPECT_GE(delays.back(), 1.9) << "it waited behind some 2,000 others";
    on.close();
    EXPECT_EQ(on.lost(), 0u);
    EXPECT_EQ(this->pass(32), 64u);
}

// Lets a competitor forward the trace a few times.
template <class A>
void forward(circuit_for<A>& circle, router_competitor& one, const std::vector<std::uint32_t>& ways) {
    circle.check(&ways);
    const std::uint64_t before = circle.sent();
    ASSERT_TRUE(one.start());
    while (circle.sent() - before < 20'000)
        rte_delay_us_sleep(100);
    one.stop();
    EXPECT_EQ(circle.wrong(), 0u);
    EXPECT_EQ(circle.missing(), 0u);
}

TYPED_TEST(Circuit, CompetitorsForwardEveryPacketToItsGateway) {
    using A = TypeParam;
    ASSERT_EQ(this->gateways, 3u);
    auto loop = make_scheme_loop<A>(*this->circle, this->routes, this->gateways, default_scheme<A>(), 32);
    ASSERT_TRUE(loop);
    forward(*this->circle, **loop, this->ways);
    for (const router::run_mode mode :
         {router::run_mode::complete, router::run_mode::fused, router::run_mode::pipeline})
        for (const bool in_turn : {true, false}) {
            SCOPED_TRACE(std::string(name_of(mode)) + (in_turn ? " in turn" : ""));
            auto made =
                make_routed<A>(*this->circle, this->routes, this->gateways, {mode, in_turn}, {}, 64, 8);
            ASSERT_TRUE(made);
            forward(*this->circle, **made, this->ways);
        }
}

TYPED_TEST(Circuit, AFixedNextHopIsSeenToBeWrong) {
    using A = TypeParam;
    auto made =
        make_routed<A>(*this->circle, this->routes, this->gateways, {}, {"", &fixed_scheme<A>()}, 64, 8);
    ASSERT_TRUE(made);
    this->circle->check(&this->ways);
    ASSERT_TRUE((*made)->start());
    while (this->circle->sent() < 10'000)
        rte_delay_us_sleep(100);
    (*made)->stop();
    EXPECT_GT(this->circle->wrong(), 0u);
    EXPECT_EQ(this->circle->missing(), 0u);
}

TYPED_TEST(Circuit, ChangedRoutesComeBack) {
    using A = TypeParam;
    auto made = make_routed<A>(*this->circle, this->routes, this->gateways, {}, {}, 64, 8);
    ASSERT_TRUE(made);
    route_changes<A> changes((*made)->tables(), this->routes, this->gateways, 1);
    ASSERT_TRUE((*made)->start());
    using std::chrono::milliseconds;
    const change_counts some = changes.change(milliseconds(20), 100'000, 16);
    const change_counts all = changes.replace(milliseconds(5));
    changes.restore();
    (*made)->stop();
    EXPECT_GT(some.changes, 0u);
    EXPECT_EQ(some.changes % 16, 0u);
    EXPECT_GT(all.tables, 0u);
    EXPECT_EQ(this->circle->missing(), 0u);
    forward(*this->circle, **made, this->ways);
}

} // namespace
} // namespace fingerpost::bench
