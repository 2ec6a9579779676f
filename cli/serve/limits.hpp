// The most that one client of `fingerpost serve` may use.
#pragma once

#include <chrono>
#include <cstddef>

namespace fingerpost::cli {

struct serve_limits {
    unsigned threads = 1;              // that answer at the same time
    std::size_t body_bytes = 1U << 20; // of a request
    std::size_t addresses = 10'000;    // in a request
    std::size_t connections = 400;     // over HTTP, and as many on the socket
    std::chrono::seconds patience{10}; // for a request to come in, and for an answer to be read
};

} // namespace fingerpost::cli
