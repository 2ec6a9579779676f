// VRFs in the whole data plane: rings between threads mix packets of ports in different VRFs.
#include <gtest/gtest.h>

#include <chrono>

#include "router/tests/data/packets.hpp"
#include "router/tests/data/ring_router.hpp"

namespace fingerpost::router {
namespace {

using testing::frame;
using testing::hex;
using testing::octets;
using testing::shape;

// Port 0 is in the default VRF, port 1 in red. Both have the address 10.0.0.1/24 and a neighbour 10.0.0.2,
// through which 198.51.100.0/24 is reached.
class EngineVrfs : public ::testing::TestWithParam<shape>, protected testing::ring_router {
  protected:
    static constexpr vrf_number red = 1;

    void SetUp() override {
        vrf_list vrfs;
        vrfs.assign(1, std::nullopt, vrfs.add({"red", 100}));
        make(GetParam(), {.vrfs = vrfs});
        for (const std::uint32_t link : {10u, 11u}) {
            add_address(link, "10.0.0.1", 24);
            add_address(link, "2001:db8::1", 64);
            resolve(link, "10.0.0.2", link == 10 ? 0x20 : 0x30);
        }
        for (const vrf_number vrf : {default_vrf, red}) {
            announce(*parse_prefix<ipv4_address>("198.51.100.0/24"), "10.0.0.2", vrf);
            announce(*parse_prefix<ipv4_address>("192.0.2.0/24"), "10.0.0.2", vrf);
        }
        commit();
    }
    // From 192.0.2.1 to 198.51.100.7, for the MAC address of the port.
    static frame to_port(unsigned port) {
        return testing::ipv4_frame().set(0, port == 0 ? "020000000001" : "020000000002");
    }
};

INSTANTIATE_TEST_SUITE_P(forms, EngineVrfs,
                         ::testing::Values(shape{run_mode::complete, 1, 1, 1, 2},
                                           shape{run_mode::fused, 1, 1, 1, 2},
                                           shape{run_mode::pipeline, 1, 1, 1, 2},
                                           shape{run_mode::pipeline, 2, 2, 2, 2}));

TEST_P(EngineVrfs, ForwardByTheRoutesOfThePort) {
    for (unsigned i = 0; i < 20; ++i)
        for (const unsigned port : {0u, 1u})
            ports[port]->put(to_port(port).bytes);
    run();
    for (const unsigned port : {0u, 1u}) {
        const auto out = ports[port]->take();
        ASSERT_EQ(out.size(), 20u) << port;
        for (const octets& one : out)
            EXPECT_EQ(one[5], port == 0 ? 0x20 : 0x30);
    }
    EXPECT_EQ(unaccounted(), 0);
}

TEST_P(EngineVrfs, ARouteOfOneIsNoneOfTheOther) {
    router->tables().withdraw(red, *parse_prefix<ipv4_address>("198.51.100.0/24"));
    commit();
    ports[0]->put(to_port(0).bytes);
    ports[1]->put(to_port(1).bytes);
    run();
    EXPECT_EQ(ports[0]->take().size(), 1u);
    const auto answer = ports[1]->take();
    ASSERT_EQ(answer.size(), 1u);
    EXPECT_EQ(answer[0][5], 0x30) << "the error goes back by the routes of the same VRF";
    EXPECT_EQ(octets(answer[0].begin() + 14 + 20, answer[0].begin() + 14 + 22), hex("03 00"));
    EXPECT_EQ(dropped(drop_reason::no_route), 1u);
    EXPECT_EQ(unaccounted(), 0);
}

TEST_P(EngineVrfs, LeakByARouteWithAnInterfaceOfTheOther) {
    router->tables().announce(red, *parse_prefix<ipv4_address>("198.51.100.0/25"),
                              destination{action::forward, {path{testing::at("10.0.0.2"), 10, 1}}});
    commit();
    ports[1]->put(to_port(1).bytes);
    run();
    EXPECT_TRUE(ports[1]->take().empty());
    const auto out = ports[0]->take();
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0][5], 0x20);
    EXPECT_EQ(unaccounted(), 0);
}

TEST_P(EngineVrfs, PacketsWaitForANeighbourOfTheirVrf) {
    announce(*parse_prefix<ipv4_address>("198.51.100.0/24"), "10.0.0.3", red);
    commit();
    ports[1]->put(to_port(1).bytes);
    run();
    EXPECT_EQ(router->waiting(), 1u);
    const auto wanted = router->requests().take();
    ASSERT_EQ(wanted.size(), 1u);
    EXPECT_EQ(wanted[0], (neighbour_key{11, testing::at("10.0.0.3")}));
    resolve(11, "10.0.0.3", 0x33);
    commit();
    // The queue is polled once per millisecond.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (router->waiting() != 0 && std::chrono::steady_clock::now() < end)
        run();
    const auto out = ports[1]->take();
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0][5], 0x33);
}

} // namespace
} // namespace fingerpost::router
