// The kernel's VLAN devices above a port's TAP, so that a tagged network has addresses and neighbours of its
// own.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "system/system_failure.hpp"

namespace fingerpost::router {

// Makes a device named `TAP.ID` for each id and brings it up, in the network namespace of the calling thread;
// existing ones stay. They are removed together with the TAP.
std::optional<failure> add_vlan_devices(const std::string& tap, std::span<const unsigned> ids);

} // namespace fingerpost::router
