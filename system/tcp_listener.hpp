// A socket that listens for TCP connections.
#pragma once

#include <cstdint>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

// Listens at a numeric address of either family, without blocking. Port 0 lets the system choose; the port is
// updated. The failure contains only the system's words.
expected<unique_fd, failure> listen_tcp(const std::string& address, std::uint16_t& port);

} // namespace fingerpost::system
