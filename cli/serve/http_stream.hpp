// A connection of HTTP as cpp-httplib reads and writes it, with limits for a whole request: its time, and the
// bytes of its head and of its body.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <httplib.h>
#include <string>

#include "cli/serve/limits.hpp"
#include "cli/serve/stop_event.hpp"
#include "router/system/unique_fd.hpp"

namespace fingerpost::cli {

// Why no more can be read of a request, or nothing written.
enum class stream_fault : std::uint8_t {
    none,
    closed,    // by the client, within a request
    late,      // the request did not come in within the time
    long_head, // more bytes than a head may have
    long_body, // more bytes than any body that is taken
    not_taken, // the client does not read its answer
};

class http_stream final : public httplib::Stream {
  public:
    // Between the requests of a client that keeps its connection.
    static constexpr std::chrono::seconds idle_time{60};

    http_stream(router::unique_fd socket, const serve_limits& limits, const stop_event& stopping);

    // Whether a request begins. False when the client has closed the connection or sends nothing for too
    // long, and when the program ends while nothing has come in.
    bool wait_for_request();
    // The head has been read; what follows counts as the body.
    void begin_body() noexcept {
        left_ = body_left_;
        in_body_ = true;
    }
    // Sends what has been written; false when the client does not take it.
    bool flush();
    // In the place of what the library wrote about a request that could not be read.
    void replace_answer(const std::string& text) { out_ = text; }
    // Closes so that a client that still sends is not cut off from its answer.
    void close_gently();

    stream_fault fault() const noexcept { return fault_; }

    bool is_readable() const override;
    bool is_writable() const override { return fault_ == stream_fault::none; }
    ssize_t read(char* to, size_t size) override;
    ssize_t write(const char* from, size_t size) override;
    void get_remote_ip_and_port(std::string& ip, int& port) const override;
    void get_local_ip_and_port(std::string& ip, int& port) const override;
    socket_t socket() const override { return socket_.get(); }

  private:
    using clock = std::chrono::steady_clock;

    bool fill(clock::time_point until);

    router::unique_fd socket_;
    const stop_event& stopping_;
    std::chrono::milliseconds patience_;
    std::size_t body_left_; // what a body may have
    std::size_t left_ = 0;  // what the part of the request that is being read may still have
    bool in_body_ = false;
    bool had_request_ = false;
    clock::time_point until_{};
    stream_fault fault_ = stream_fault::none;
    std::string in_; // read from the socket; from in_at_ on not yet by the library
    std::size_t in_at_ = 0;
    std::string out_;
};

} // namespace fingerpost::cli
