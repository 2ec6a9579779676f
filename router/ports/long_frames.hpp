// Packets of more than 1,500 bytes on devices whose drivers do not support such an MTU: af_packet and TAPs,
// which are interfaces of the kernel.
#pragma once

#include <cstdint>
#include <string>

#include <rte_mbuf.h>

#include "router/config/config.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {

// The longest frame, with a tag, that DPDK's TAP driver passes to the kernel.
inline constexpr std::uint32_t longest_of_tap_driver = 1522;

// The device of a port in DPDK's form. For af_packet, with room for the port's MTU in its rings, unless the
// configuration gives their size. For a bonding device, with its members.
std::string device_arguments(const port_config& port);

// The size of the frames in af_packet's rings, because each buffer must hold one; 0 for other devices.
unsigned ring_frame_bytes(const port_config& port);

// For an interface in the network namespace of the calling thread. Returns 0 or an errno.
int set_kernel_mtu(std::uint32_t interface, unsigned mtu);

// The file of a TAP: passes frames to the kernel directly, because the TAP driver refuses long ones.
class tap_file {
  public:
    // Without a file if this process has none for a TAP with this name.
    static tap_file find(const std::string& tap);

    // Whether the TAP stays when no process has it any more. False if the kernel refuses.
    bool keep(bool stays) const noexcept;
    // False if the kernel does not take the frame. The caller keeps it.
    bool write(const rte_mbuf& frame) const noexcept;

  private:
    system::unique_fd file_;
    bool has_packet_information_ = false; // four bytes before each frame
};

} // namespace fingerpost::router
