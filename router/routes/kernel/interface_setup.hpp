// Prepares the kernel's interface of a port: sets its addresses, and brings it up.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "router/routes/sink/interface_sink.hpp"
#include "system/system_failure.hpp"

namespace fingerpost::router {

// In the network namespace of the calling thread. Of `addresses`, `interface` is not read: it is the one of
// this name. Addresses that are there already stay.
std::optional<system::failure> set_up_interface(const std::string& name,
                                                std::span<const interface_address> addresses);

} // namespace fingerpost::router
