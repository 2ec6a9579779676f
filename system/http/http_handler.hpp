// What a server of HTTP asks the program that it is a part of. Several threads may call it at once.
#pragma once

#include <optional>
#include <string>

#include "system/http/http_message.hpp"

namespace fingerpost::system {

class http_handler {
  public:
    virtual ~http_handler() = default;

    // Before the body is read, of which nothing is in `head`; nothing when it is wanted.
    virtual std::optional<http_answer> refuse_head(const http_request& head) = 0;
    virtual http_answer answer(const http_request& request) = 0;
    // The answer to a request that the server refuses itself.
    virtual http_answer refuse(const http_refusal& why) = 0;

    // For counters: of answers, and of connections.
    virtual void answered([[maybe_unused]] int code) noexcept {}
    virtual void opened() noexcept {}
    virtual void closed() noexcept {}
    // A connection, as there are as many as there may be; it is told so.
    virtual void turned_away() noexcept {}
};

} // namespace fingerpost::system
