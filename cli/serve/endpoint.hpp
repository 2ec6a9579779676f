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

// Reads `ADDRESS:PORT`, `[ADDRESS]:PORT` or `PORT`, which means 127.0.0.1; the reason in words when it is
// none.
std::string read_endpoint(const std::string& text, endpoint& into);

// A socket that listens there, without blocking; the port becomes the one that the system chose for 0. Throws
// failure.
system::unique_fd listen_at(endpoint& where);

} // namespace fingerpost::cli
