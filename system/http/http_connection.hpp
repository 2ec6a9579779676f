// One HTTP connection. It reads requests and writes answers in the same order, and never blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "system/http/http_handler.hpp"
#include "system/http/http_hosts.hpp"
#include "system/http/http_reader.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

struct http_rules {
    http_reader_limits sizes{};
    std::chrono::seconds patience{
        10}; // for a request to arrive, for the first request, and for an answer to be read
    std::chrono::seconds idle{60}; // between the requests of a kept connection
    std::size_t connections = 400;
    // Whether a surplus connection ends the one that has waited longest. Otherwise the new client is refused.
    bool evicts = false;
    http_hosts hosts{};
};

class http_connection {
  public:
    using clock = std::chrono::steady_clock;

    http_connection(unique_fd socket, const http_rules& rules, http_handler& handler);

    // Reads and writes as far as possible. Returns false if the connection is over.
    bool step();
    // The deadline at which expire() must be called. expire() returns false if the connection is over.
    clock::time_point deadline() const noexcept { return out_.empty() ? read_by_ : write_by_; }
    bool expire();
    // Answers the requests that have arrived, and waits for nothing more, because the program ends. Returns
    // false if the connection is over.
    bool end();

    // The epoll events to wait for.
    std::uint32_t events() const noexcept;
    int descriptor() const noexcept { return socket_.get(); }
    // Whether the connection has been waiting for a request, or for the rest of one, since waits_since().
    bool is_waiting() const noexcept { return out_.empty(); }
    clock::time_point waits_since() const noexcept { return since_; }

  private:
    bool receive();
    bool has_unread() const noexcept;
    void answer_all();
    void take_head();
    void take_request();
    void answer(const http_request& request);
    std::optional<http_answer> refusal_of(const http_request& request);
    void refuse(const http_refusal& reason);
    void send_answer(http_answer answer, bool closes);
    void begin_wait();
    bool send();
    bool end_gently();
    bool is_full() const noexcept;

    unique_fd socket_;
    tcp_place client_;
    const http_rules& rules_;
    http_handler& handler_;
    http_reader reader_;
    std::string out_;        // not sent yet
    bool closes_ = false;    // close after sending; nothing more is read as a request
    bool parting_ = false;   // everything is sent, and further bytes of the client are dropped
    bool ended_ = false;     // the client has closed its side
    bool is_ending_ = false; // the program ends
    bool in_request_ = false;
    std::size_t dropped_ = 0;
    clock::time_point read_at_{}; // time at which the current request was read
    clock::time_point since_;
    clock::time_point read_by_;
    clock::time_point write_by_{};
};

} // namespace fingerpost::system
