// Prepares the kernel's interface of a port: sets its addresses, and brings it up.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "router/routes/sink/interface_sink.hpp"
#include "system/system_failure.hpp"

namespace fingerpost::router {

// For an interface in the network namespace of the calling thread. `interface` in `addresses` is ignored: the
// interface is the one of this name. Addresses that it has already stay.
std::optional<failure> set_up_interface(const std::string& name,
                                        std::span<const interface_address> addresses);

} // namespace fingerpost::router
