// Link state of the ports, as reported by their drivers and, for ports that are kernel interfaces, by the
// kernel.
//
// The af_packet driver always reports that its link is up. Its interface is in the network namespace in which
// the router was started, where a kernel mirror reports every link change. The kernel may report a short loss
// of a link only after the link has come back, but it counts the losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "router/routes/sink/interface_sink.hpp"

namespace fingerpost::router {

class port_carriers final : public interface_sink {
  public:
    // DPDK's device numbers of the ports.
    explicit port_carriers(std::span<const std::uint16_t> devices);

    // Called for each port that has lost or regained its link. Initially all ports have one.
    void on_change(std::function<void(std::size_t port, bool up)> run) { changed_ = std::move(run); }
    // Asks the drivers. To be called regularly.
    void poll() noexcept;

    bool is_up(std::size_t port) const noexcept { return ports_[port].up; }
    // True if any port is a kernel interface.
    bool needs_kernel() const noexcept;

    void set_link(const link_state& link) noexcept override { note(link.index, link.up, link.losses); }
    void remove_link(std::uint32_t index) noexcept override { note(index, false, 0); }
    void set_address(const interface_address&) noexcept override {}
    void remove_address(const interface_address&) noexcept override {}
    void set_neighbour(const neighbour&) noexcept override {}
    void remove_neighbour(std::uint32_t, const any_address&) noexcept override {}
    void begin_refresh() noexcept override;
    void sweep() noexcept override;
    void commit() noexcept override {}

  private:
    struct state {
        std::uint16_t device = 0;
        std::uint32_t interface = 0;     // the kernel's number; 0 if the port is not a kernel interface
        std::optional<bool> of_kernel{}; // state reported by the kernel; none yet
        std::uint32_t losses = 0;        // counted by the kernel
        bool is_back = false;            // takes effect at the next poll()
        bool is_reported = true;         // in the current refresh
        bool up = true;
    };
    void note(std::uint32_t interface, bool up, std::uint32_t losses) noexcept;
    void look(std::size_t port) noexcept;

    std::vector<state> ports_;
    std::function<void(std::size_t, bool)> changed_;
};

} // namespace fingerpost::router
