// What the kernel lost in front of a port by af_packet, because the port's ring was full. DPDK's driver does
// not tell it, but the kernel does, of the driver's sockets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fingerpost::router {

class ring_losses {
  public:
    // Of the sockets that this process has for the packets of the interface; none for an empty name. When the
    // port has been opened.
    explicit ring_losses(const std::string& interface);

    // Packets since the port was opened. The kernel counts from zero after each time that it is asked.
    std::uint64_t read() noexcept;

  private:
    std::vector<int> sockets_; // the driver's
    std::uint64_t lost_ = 0;
};

} // namespace fingerpost::router
