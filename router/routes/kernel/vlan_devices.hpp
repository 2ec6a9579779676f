// The kernel's VLAN devices on a port's TAP, which give each tagged network its own addresses and neighbours.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "system/system_failure.hpp"

namespace fingerpost::router {

// Creates a device named `TAP.ID` for each id and brings it up, in the network namespace of the calling
// thread. Existing devices stay. The devices disappear together with the TAP.
std::optional<system::failure> add_vlan_devices(const std::string& tap, std::span<const unsigned> ids);

} // namespace fingerpost::router
