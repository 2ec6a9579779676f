// The interface through which an HTTP server asks its program. Several threads may call it at the same time.
#pragma once

#include <optional>
#include <string>

#include "system/http/http_message.hpp"

namespace fingerpost::system {

class http_handler {
  public:
    virtual ~http_handler() = default;

    // Called before the body is read; `head` has no body. Returns a refusal, or nothing if the body should be
    // read.
    virtual std::optional<http_answer> refuse_head(const http_request& head) = 0;
    virtual http_answer answer(const http_request& request) = 0;
    // The answer to a request that the server itself refuses.
    virtual http_answer refuse(const http_refusal& why) = 0;

    // For counters: of answers, and of connections.
    virtual void answered([[maybe_unused]] int code) noexcept {}
    virtual void opened() noexcept {}
    virtual void closed() noexcept {}
    // A connection was refused because there are too many; the client is told so.
    virtual void turned_away() noexcept {}
};

} // namespace fingerpost::system
