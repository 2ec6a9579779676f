// A socket that listens for TCP connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

// Listens at a numeric address of either family, without blocking. Port 0 lets the system choose; the port is
// updated. The failure contains only the system's words.
expected<unique_fd, failure> listen_tcp(const std::string& address, std::uint16_t& port);

// A numeric address of either family, and a port. IPv4 addresses stand as such, also on a socket of IPv6.
struct tcp_place {
    std::string address{};
    std::uint16_t port = 0;

    // `127.0.0.1:80`, `[::1]:80`.
    std::string text() const;
};

// Where a TCP socket is bound to; nothing for other sockets.
std::optional<tcp_place> place_of(int socket);
// The other side of a connection; without an address if it is not known, as when that side has gone.
tcp_place peer_of(int socket);

} // namespace fingerpost::system
