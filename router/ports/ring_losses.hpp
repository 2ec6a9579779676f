// The packets that the kernel lost in front of an af_packet port because the port's ring was full. DPDK's
// driver does not report them; the kernel does, for the driver's sockets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fingerpost::router {

class ring_losses {
  public:
    // For the sockets of this process that receive the interface's packets; none for an empty name. Make it
    // after opening the port.
    explicit ring_losses(const std::string& interface);

    // The number of packets since the port was opened. The kernel's counts restart at zero after each query.
    std::uint64_t read() noexcept;

  private:
    std::vector<int> sockets_; // the driver's
    std::uint64_t lost_ = 0;
};

} // namespace fingerpost::router
