// A socket that listens for TCP connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

// Listens on a numeric address of either family, without blocking. With port 0 the system chooses one; `port`
// is updated. The failure has only the system's text.
expected<unique_fd, failure> listen_tcp(const std::string& address, std::uint16_t& port);

// A numeric address of either family, and a port. IPv4 addresses are not mapped, even on an IPv6 socket.
struct tcp_place {
    std::string address{};
    std::uint16_t port = 0;

    // Returns `127.0.0.1:80` or `[::1]:80`.
    std::string text() const;
};

// Returns the address to which a TCP socket is bound; nothing for other sockets.
std::optional<tcp_place> place_of(int socket);
// Returns the other side of a connection, without an address if that is unknown, for example because it has
// gone.
tcp_place peer_of(int socket);

} // namespace fingerpost::system
