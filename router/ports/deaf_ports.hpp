// Detects ports that receive nothing while packets for them are lost. An overloaded port still receives some
// packets, so such a port is broken: its device has no buffers, or its thread hangs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fingerpost::router {

class deaf_ports {
  public:
    // Number of checks in which packets were lost, without one received since the first of them.
    static constexpr unsigned patience = 5;

    explicit deaf_ports(std::size_t ports = 0) : ports_(ports) {}

    // Both numbers count from the start. Returns true if the port has become deaf or has recovered.
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
    // Packets lost since the last one was received.
    std::uint64_t lost_since(std::size_t port) const noexcept {
        return ports_[port].lost - ports_[port].lost_before;
    }

  private:
    struct state {
        std::uint64_t received = 0;
        std::uint64_t lost = 0;
        std::uint64_t lost_before = 0; // when the last packet was received
        unsigned losses = 0;           // number of checks with new losses
    };
    std::vector<state> ports_;
};

} // namespace fingerpost::router
