// Changes the interfaces of ports while the router runs. The socket is created while the program may still
// enter their network namespace, because it may give up that right later.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "router/routes/netlink/netlink_talk.hpp"
#include "router/routes/sink/interface_sink.hpp"
#include "system/system_failure.hpp"

namespace fingerpost::router {

class interface_changes {
  public:
    // For interfaces in the network namespace of the calling thread.
    static expected<std::unique_ptr<interface_changes>, system::failure> open();

    // Each function waits for the kernel's answer. Adding an existing address or removing a missing one is
    // not an error.
    std::optional<system::failure> add(const interface_address& address);
    std::optional<system::failure> remove(const interface_address& address);
    std::optional<system::failure> set_mtu(std::uint32_t interface, unsigned mtu);

  private:
    interface_changes() = default;

    netlink_talk kernel_;
};

// Keeps the other addresses of a network when its first one is removed. Does nothing if the kernel's settings
// are not writable.
void keep_secondary_addresses(const std::string& interface);

} // namespace fingerpost::router
