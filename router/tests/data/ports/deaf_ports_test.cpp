// Conditions for a deaf port.
#include <gtest/gtest.h>

#include "router/ports/deaf_ports.hpp"

namespace fingerpost::router {
namespace {

TEST(DeafPorts, ReportsAPortThatOnlyLosesPackets) {
    deaf_ports ports(2);
    EXPECT_FALSE(ports.look(0, 100, 0));
    for (std::uint64_t lost = 1; lost < deaf_ports::patience; ++lost) {
        EXPECT_FALSE(ports.look(0, 100, 10 * lost));
        EXPECT_FALSE(ports.look(0, 100, 10 * lost)) << "nothing was sent meanwhile";
    }
    EXPECT_FALSE(ports.is_deaf(0));
    EXPECT_TRUE(ports.look(0, 100, 50));
    EXPECT_TRUE(ports.is_deaf(0));
    EXPECT_EQ(ports.lost_since(0), 50u);
    EXPECT_FALSE(ports.look(0, 100, 60)) << "it is reported once";
    EXPECT_FALSE(ports.is_deaf(1));
    EXPECT_TRUE(ports.look(0, 101, 60));
    EXPECT_FALSE(ports.is_deaf(0));
}

TEST(DeafPorts, HasPatienceWithABusyPort) {
    deaf_ports ports(1);
    for (std::uint64_t round = 1; round < 100; ++round) {
        EXPECT_FALSE(ports.look(0, round / (deaf_ports::patience - 1), 1000 * round));
        EXPECT_FALSE(ports.is_deaf(0)) << "it still receives some packets";
    }
}

TEST(DeafPorts, ReportsAPortThatHasNeverReceived) {
    deaf_ports ports(1);
    for (unsigned look = 1; look < deaf_ports::patience; ++look)
        EXPECT_FALSE(ports.look(0, 0, look));
    EXPECT_TRUE(ports.look(0, 0, deaf_ports::patience));
}

} // namespace
} // namespace fingerpost::router
