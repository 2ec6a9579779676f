// The interface through which an HTTP server calls its program. Several threads may call it at the same time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "system/http/http_message.hpp"
#include "system/tcp_listener.hpp"

namespace fingerpost::system {

// A request with its answer, for counters and logs.
struct http_exchange {
    const http_request& request; // the part that could be read; empty without a head
    const http_answer& answer;
    const tcp_place& client;                    // without an address if unknown
    std::size_t sent_bytes = 0;                 // of the body, after compression
    std::chrono::steady_clock::duration took{}; // time from reading the request to the finished answer
};

class http_handler {
  public:
    virtual ~http_handler() = default;

    // Called before the body is read; `head` has no body. Returns a refusal, or nothing if the body is to be
    // read.
    virtual std::optional<http_answer> refuse_head(const http_request& head) = 0;
    virtual http_answer answer(const http_request& request) = 0;
    // Returns the answer to a request that the server itself refuses.
    virtual http_answer refuse(const http_refusal& reason) = 0;

    // For counters and logs.
    virtual void answered([[maybe_unused]] const http_exchange& exchange) noexcept {}
    virtual void opened() noexcept {}
    virtual void closed() noexcept {}
    // A connection was refused because there are too many; the client is informed.
    virtual void turned_away() noexcept {}
};

} // namespace fingerpost::system
