// Packets of more than 1,500 bytes by devices whose drivers know no such MTU: af_packet and TAPs, which are
// interfaces of the kernel.
#pragma once

#include <cstdint>
#include <string>

#include <rte_mbuf.h>

#include "router/config/config.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {

// The longest frame that DPDK's driver of TAPs gives to the kernel, with a tag.
inline constexpr std::uint32_t longest_of_tap_driver = 1522;

// The device of a port as DPDK gets it: of af_packet with room for the port's MTU in its rings, unless the
// configuration says how much they have.
std::string device_arguments(const port_config& port);

// The frames that af_packet's rings have room for, as each buffer must hold one; of another device 0.
unsigned ring_frame_bytes(const port_config& port);

// Of an interface in the network namespace of the calling thread. 0, or a number of errno.
int set_kernel_mtu(std::uint32_t interface, unsigned mtu);

// Gives frames to the kernel beside the driver of a TAP, which refuses long ones.
class tap_file {
  public:
    // Without a file, when this process has none of a TAP of this name.
    static tap_file find(const std::string& tap);

    // False when the kernel does not take the frame. Its owner keeps it.
    bool write(const rte_mbuf& frame) const noexcept;

  private:
    system::unique_fd file_;
    bool has_packet_information_ = false; // four bytes before each frame
};

} // namespace fingerpost::router
