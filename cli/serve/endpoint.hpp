// An address and port to listen on, as in --http.
#pragma once

#include <cstdint>
#include <string>

#include "system/unique_fd.hpp"

namespace fingerpost::cli {

struct endpoint {
    std::string address; // numeric, of either family
    std::uint16_t port = 0;

    bool is_loopback() const;
    // `127.0.0.1:80` or `[::1]:80`.
    std::string text() const;
};

// Reads `ADDRESS:PORT` or `[ADDRESS]:PORT`; a lone `PORT` means 127.0.0.1:PORT. Returns an empty text, or the
// reason why the text is invalid; in that case `into` does not change.
std::string read_endpoint(const std::string& text, endpoint& into);

// Opens a non-blocking socket that listens there. Port 0 lets the system choose, and the chosen port is
// stored. Throws failure.
system::unique_fd listen_at(endpoint& where);

} // namespace fingerpost::cli
