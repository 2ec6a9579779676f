// An address and a port to listen on, as `--http` names them.
#pragma once

#include <cstdint>
#include <string>

#include "system/unique_fd.hpp"

namespace fingerpost::cli {

struct endpoint {
    std::string address; // numeric, of either family
    std::uint16_t port = 0;

    bool is_loopback() const;
    // `127.0.0.1:80`, `[::1]:80`.
    std::string text() const;
};

// Reads `ADDRESS:PORT` or `[ADDRESS]:PORT`; a `PORT` alone means 127.0.0.1:PORT. Returns an empty text, or
// the reason why the text is invalid; then `into` is unchanged.
std::string read_endpoint(const std::string& text, endpoint& into);

// A non-blocking socket that listens there. Port 0 lets the system choose; the port is updated. Throws
// failure.
system::unique_fd listen_at(endpoint& where);

} // namespace fingerpost::cli
