// A socket that listens for connections of TCP.
#pragma once

#include <cstdint>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

// At a numeric address of either family, without blocking; the port becomes the one that the system chose for
// 0. The failure is in the system's words alone.
expected<unique_fd, failure> listen_tcp(const std::string& address, std::uint16_t& port);

} // namespace fingerpost::system
