// Ports that receive nothing while packets for them are lost. A port that has more to do than it can still
// receives some, so such a port is broken: its device has no buffers, or its thread hangs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fingerpost::router {

class deaf_ports {
  public:
    // In so many looks packets were lost, and since the first of them none was received.
    static constexpr unsigned patience = 5;

    explicit deaf_ports(std::size_t ports = 0) : ports_(ports) {}

    // Both are counted since the start. True if the port has become deaf, or is so no more.
    bool look(std::size_t port, std::uint64_t received, std::uint64_t lost) noexcept {
        state& of = ports_[port];
        const bool was_deaf = is_deaf(port);
        if (received != of.received)
            of = {received, lost, lost, 0};
        else if (lost != of.lost && of.losses < patience)
            of.losses += 1;
        of.lost = lost;
        return was_deaf != is_deaf(port);
    }
    bool is_deaf(std::size_t port) const noexcept { return ports_[port].losses == patience; }
    // Packets that were lost since the last one was received.
    std::uint64_t lost_since(std::size_t port) const noexcept {
        return ports_[port].lost - ports_[port].lost_before;
    }

  private:
    struct state {
        std::uint64_t received = 0;
        std::uint64_t lost = 0;
        std::uint64_t lost_before = 0; // when the last packet had been received
        unsigned losses = 0;           // looks that found more of them
    };
    std::vector<state> ports_;
};

} // namespace fingerpost::router
