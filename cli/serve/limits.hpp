// Limits for each client of `fingerpost serve`.
#pragma once

#include <chrono>
#include <cstddef>

namespace fingerpost::cli {

struct serve_limits {
    unsigned threads = 1;              // threads that answer at the same time
    std::size_t body_bytes = 1U << 20; // per request
    std::size_t addresses = 10'000;    // per request
    std::size_t connections = 400;     // over HTTP, and as many on the socket
    std::chrono::seconds patience{10}; // for receiving a request, and for sending an answer
};

} // namespace fingerpost::cli
