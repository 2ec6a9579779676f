// The settings of af_packet for ports with long packets.
#include "router/ports/long_frames.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fingerpost::router {
namespace {

port_config port_of(const std::string& device, unsigned mtu) {
    port_config port;
    port.device = device;
    port.mtu = mtu;
    return port;
}

TEST(LongFrames, AfPacketGetsRoomForThem) {
    struct {
        const char* device;
        unsigned mtu;
        const char* wanted;
        unsigned bytes;
    } const cases[] = {
        {"net_af_packet0,iface=eth0", 1500, "net_af_packet0,iface=eth0", 2048},
        {"net_af_packet0,iface=eth0", 1920, "net_af_packet0,iface=eth0", 2048},
        {"net_af_packet0,iface=eth0", 1921, "net_af_packet0,iface=eth0,framesz=4096,blocksz=4096", 4096},
        {"net_af_packet0,iface=eth0", 9600, "net_af_packet0,iface=eth0,framesz=12288,blocksz=12288", 12288},
        {"net_af_packet0,iface=eth0,framesz=16384,blocksz=65536", 9000,
         "net_af_packet0,iface=eth0,framesz=16384,blocksz=65536", 16384},
        {"net_tap0,iface=eth0", 9000, "net_tap0,iface=eth0", 0},
        {"0000:3b:00.0", 9000, "0000:3b:00.0", 0},
    };
    for (const auto& one : cases) {
        const port_config port = port_of(one.device, one.mtu);
        EXPECT_EQ(device_arguments(port), one.wanted);
        EXPECT_EQ(ring_frame_bytes(port), one.bytes) << one.device << " " << one.mtu;
    }
}

TEST(LongFrames, NoFileOfATapThatIsNotThere) {
    const tap_file none = tap_file::find("nosuch0");
    rte_mbuf frame{};
    frame.nb_segs = 1;
    EXPECT_FALSE(none.write(frame));
    EXPECT_NE(set_kernel_mtu(0x7ffffff0, 1500), 0);
}

} // namespace
} // namespace fingerpost::router
