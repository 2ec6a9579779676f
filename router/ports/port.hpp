// The router's ports: DPDK devices, each with a TAP through which the kernel sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rte_ether.h>
#include <rte_mempool.h>

#include "fingerpost/base/expected.hpp"
#include "router/config/config.hpp"
#include "router/config/wiring.hpp"

namespace fingerpost::router {

// The device of a configured port, and the number of queues that it offers.
struct found_device {
    std::uint16_t number = 0;
    port_queues most{};
};

// The error is a sentence with the port's name.
expected<found_device, std::string> find_device(const port_config& port);

// A device that has been configured and started. The destructor stops and closes it.
class open_device {
  public:
    open_device(open_device&& other) noexcept;
    open_device& operator=(open_device&&) = delete;
    ~open_device();

    std::uint16_t number() const noexcept { return number_; }
    rte_ether_addr mac() const;
    // Number of the kernel interface that the device represents, such as a TAP; 0 if there is none.
    std::uint32_t kernel_interface() const;
    // Keeps the destructor from closing the device: a TAP that stays must not be set down.
    void leave_open() noexcept { owns_ = false; }

  private:
    friend expected<open_device, std::string> open_port(const port_config&, const found_device&, port_queues,
                                                        rte_mempool&);
    friend expected<open_device, std::string> open_tap(const port_config&, const open_device&, rte_mempool&);
    open_device(std::uint16_t number, bool unplug) : number_(number), unplug_(unplug) {}

    std::uint16_t number_;
    bool owns_ = true;
    bool unplug_; // remove the device as well, for example a TAP that was created for the port
};

// `used` is the number of queues of each kind that the wiring uses.
expected<open_device, std::string> open_port(const port_config& port, const found_device& device,
                                             port_queues used, rte_mempool& packets);

// Changes the MTU while packets are forwarded. The error is a sentence; some drivers accept another MTU only
// while the device is stopped.
std::optional<std::string> change_mtu(const port_config& port, const open_device& of, unsigned mtu);

// Creates a TAP with the port's MAC address and MTU in the network namespace of the calling thread, or takes
// over one that an earlier process has left. The destructor removes it unless it is kept.
expected<open_device, std::string> open_tap(const port_config& port, const open_device& of,
                                            rte_mempool& packets);

} // namespace fingerpost::router
