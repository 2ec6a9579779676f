// Which ports have a link: their drivers are asked and, for ports that are interfaces of the kernel, the
// kernel reports it.
//
// The af_packet driver always reports that its link is up. Its interface is in the network namespace in which
// the router was started, where a kernel mirror reports every change of links. The kernel may report a link
// that goes and comes at once only when it is there again, but it counts how often it has gone.
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
    // DPDK's numbers of the ports.
    explicit port_carriers(std::span<const std::uint16_t> devices);

    // Called for each port that has lost or gained its link; initially all count as having one.
    void on_change(std::function<void(std::size_t port, bool up)> run) { changed_ = std::move(run); }
    // Asks the drivers. To be called now and then.
    void poll() noexcept;

    bool is_up(std::size_t port) const noexcept { return ports_[port].up; }
    // Whether any port is an interface of the kernel.
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
        std::uint32_t interface = 0;     // the kernel's number; 0: the kernel has no interface for the port
        std::optional<bool> of_kernel{}; // what the kernel says; nothing yet
        std::uint32_t losses = 0;        // by the kernel's count
        bool is_back = false;            // for the next poll()
        bool is_told = true;             // in the current refresh
        bool up = true;
    };
    void note(std::uint32_t interface, bool up, std::uint32_t losses) noexcept;
    void look(std::size_t port) noexcept;

    std::vector<state> ports_;
    std::function<void(std::size_t, bool)> changed_;
};

} // namespace fingerpost::router
