// Packets that the kernel lost before they reached a port, because a ring or queue to this process was full.
// DPDK's drivers do not report them, but the kernel does:
//
//   af_packet  for the driver's sockets, by PACKET_STATISTICS
//   af_xdp     for the driver's sockets, by XDP_STATISTICS; DPDK itself counts packets without a buffer
//   TAP        for the interface, as packets that it could not send
//
// The pcap driver and drivers of network cards report such losses themselves, as missed packets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fingerpost::router {

class ring_losses {
  public:
    // For a port that receives from these interfaces by af_packet or af_xdp; no losses without interfaces.
    // Must be created after opening the port and before opening the next one: sockets of af_xdp do not reveal
    // their interface, so the port gets those that are not in `earlier`.
    ring_losses(const std::vector<std::string>& interfaces, const std::vector<ring_losses>& earlier);
    // For a port that is a TAP, by its name.
    static ring_losses of_tap(std::string interface);

    // Number of packets lost since the port was opened. Must be called by the thread that opened the port,
    // because a TAP is looked up in the caller's network namespace. The kernel resets its counts of af_packet
    // after each query.
    std::uint64_t read() noexcept;

  private:
    ring_losses() = default;

    std::vector<int> packet_sockets_; // sockets of the driver
    std::vector<int> xdp_sockets_;
    std::string tap_;
    std::uint64_t lost_ = 0; // losses of packet_sockets_
};

} // namespace fingerpost::router
