// Packets of more than 1,500 bytes on devices whose drivers do not support such an MTU: af_packet and TAPs,
// which are kernel interfaces.
#pragma once

#include <cstdint>
#include <string>

#include <rte_mbuf.h>

#include "router/config/config.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {

// Longest frame, with a tag, that DPDK's TAP driver passes to the kernel.
inline constexpr std::uint32_t longest_of_tap_driver = 1522;

// The device of a port in DPDK's form. For af_packet, the rings get room for the port's MTU unless the
// configuration sets their size. For a bonding device, the members are included.
std::string device_arguments(const port_config& port);

// Frame size of af_packet's rings, because each buffer must hold one frame; 0 for other devices.
unsigned ring_frame_bytes(const port_config& port);

// Sets the MTU of an interface in the network namespace of the calling thread. Returns 0 or an errno.
int set_kernel_mtu(std::uint32_t interface, unsigned mtu);

// The file of a TAP. Passes frames to the kernel directly, because the TAP driver refuses long ones.
class tap_file {
  public:
    // Without a file if this process has not opened a TAP with this name.
    static tap_file find(const std::string& tap);

    // Sets whether the TAP continues to exist without a process. Returns false if the kernel refuses.
    bool keep(bool stays) const noexcept;
    // Returns false if the kernel does not accept the frame. The frame remains the caller's.
    bool write(const rte_mbuf& frame) const noexcept;

  private:
    system::unique_fd file_;
    bool has_packet_information_ = false; // four bytes before each frame
};

} // namespace fingerpost::router
