// The interface through which an HTTP server asks its program. Several threads may call it at the same time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "system/http/http_message.hpp"
#include "system/tcp_listener.hpp"

namespace fingerpost::system {

// An answer on its way, for counters and logs.
struct http_exchange {
    const http_request& request; // as far as it could be read: all is empty where no head was
    const http_answer& answer;
    const tcp_place& client;                    // without an address if it is not known
    std::size_t sent_bytes = 0;                 // of the body, compressed or not
    std::chrono::steady_clock::duration took{}; // to make the answer, once the request was read
};

class http_handler {
  public:
    virtual ~http_handler() = default;

    // Called before the body is read; `head` has no body. Returns a refusal, or nothing if the body should be
    // read.
    virtual std::optional<http_answer> refuse_head(const http_request& head) = 0;
    virtual http_answer answer(const http_request& request) = 0;
    // The answer to a request that the server itself refuses.
    virtual http_answer refuse(const http_refusal& why) = 0;

    // For counters and logs: of answers, and of connections.
    virtual void answered([[maybe_unused]] const http_exchange& one) noexcept {}
    virtual void opened() noexcept {}
    virtual void closed() noexcept {}
    // A connection was refused because there are too many; the client is told so.
    virtual void turned_away() noexcept {}
};

} // namespace fingerpost::system
