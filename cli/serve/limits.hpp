// What one client of `fingerpost serve` may take at most.
#pragma once

#include <chrono>
#include <cstddef>

namespace fingerpost::cli {

struct serve_limits {
    unsigned threads = 1;              // answer at once
    std::size_t body_bytes = 1U << 20; // of a request
    std::size_t addresses = 10'000;    // in a request
    std::size_t connections = 400;     // of HTTP, and as many on the socket
    std::chrono::seconds patience{10}; // with a request to come in, and with an answer to be taken
};

} // namespace fingerpost::cli
