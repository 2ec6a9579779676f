// The packets that the kernel lost in front of a port because a ring or queue to this process was full.
// DPDK's drivers do not report them; the kernel does:
//
//      af_packet   for the driver's sockets, by PACKET_STATISTICS
//      af_xdp      for the driver's sockets, by XDP_STATISTICS; DPDK itself counts what found no buffer
//      TAP         for the interface, as packets that it could not send
//
// The pcap driver and those of network cards report such losses themselves, as missed packets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fingerpost::router {

class ring_losses {
  public:
    // Of a port that takes the packets of these interfaces by af_packet or af_xdp; none without interfaces.
    // Make it after opening the port and before opening the next one: sockets of af_xdp do not say which
    // interface is theirs, so those are taken that `earlier` does not have.
    ring_losses(const std::vector<std::string>& interfaces, const std::vector<ring_losses>& earlier);
    // Of a TAP that is a port, by its name.
    static ring_losses of_tap(std::string interface);

    // The number of packets since the port was opened; for the thread that opened the port, as a TAP is
    // looked for in the network namespace of the caller. The kernel's counts of af_packet restart at zero
    // after each query.
    std::uint64_t read() noexcept;

  private:
    ring_losses() = default;

    std::vector<int> packet_sockets_; // the driver's
    std::vector<int> xdp_sockets_;
    std::string tap_;
    std::uint64_t lost_ = 0; // of packet_sockets_
};

} // namespace fingerpost::router
