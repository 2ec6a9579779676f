// Prepares the kernel interface of a port: sets its addresses, and brings it up.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "router/routes/sink/interface_sink.hpp"
#include "system/system_failure.hpp"

namespace fingerpost::router {

// For the interface `name` in the network namespace of the calling thread; the `interface` of each address is
// ignored. Existing addresses stay.
std::optional<system::failure> set_up_interface(const std::string& name,
                                                std::span<const interface_address> addresses);

} // namespace fingerpost::router
