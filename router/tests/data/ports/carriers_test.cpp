// Link states of ports, reported by drivers and the kernel.
#include "router/ports/carriers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "router/tests/data/ring_device.hpp"

namespace fingerpost::router {
namespace {

TEST(Carriers, FollowWhatDriversSay) {
    testing::test_pool(); // starts DPDK
    testing::ring_device first(1), second(1);
    const std::vector<std::uint16_t> devices = {first.number, second.number};
    port_carriers carriers(devices);
    std::string told;
    carriers.on_change(
        [&](std::size_t port, bool up) { told += std::to_string(port) + (up ? " up, " : " down, "); });
    carriers.poll();
    EXPECT_EQ(told, "");
    EXPECT_FALSE(carriers.needs_kernel());
    ASSERT_EQ(rte_eth_dev_set_link_down(second.number), 0);
    carriers.poll();
    carriers.poll();
    EXPECT_EQ(told, "1 down, ");
    EXPECT_TRUE(carriers.is_up(0));
    EXPECT_FALSE(carriers.is_up(1));
    ASSERT_EQ(rte_eth_dev_set_link_up(second.number), 0);
    ASSERT_EQ(rte_eth_dev_set_link_down(first.number), 0);
    carriers.poll();
    EXPECT_EQ(told, "1 down, 0 down, 1 up, ");
    // Messages about the kernel's own interfaces do not concern these ports.
    carriers.set_link({1, "lo", {}, 1500, false, 0, 0});
    carriers.begin_refresh();
    carriers.sweep();
    carriers.commit();
    EXPECT_EQ(told, "1 down, 0 down, 1 up, ");
}

} // namespace
} // namespace fingerpost::router
