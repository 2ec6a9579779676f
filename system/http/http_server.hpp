// A server of HTTP/1.1: one thread accepts, others serve, each with a loop over the connections that it was
// given.
//
// No thread waits for a client, so slow ones hold up nobody. A request is answered in the thread of its
// connection.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "system/http/http_connection.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::system {

class http_server {
  public:
    // `tell` takes a sentence on what goes wrong, in any thread.
    using teller = std::function<void(const std::string&)>;

    // Begins at once to answer whoever connects to the listening socket. The handler outlives the server.
    static expected<std::unique_ptr<http_server>, failure>
    open(unique_fd listener, http_rules rules, unsigned threads, http_handler& handler, teller tell);
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;
    // Waits until what has come in is answered.
    ~http_server();

    // No more connections are accepted from here on, and what has come in is answered. By any thread.
    void end() noexcept;

  private:
    class worker;

    http_server(unique_fd listener, http_rules rules, http_handler& handler, teller tell);
    void accept_all();
    bool accept_one();
    void begin(unique_fd connection);
    void turn_away(const unique_fd& connection);

    unique_fd listener_;
    const http_rules rules_;
    http_handler& handler_;
    const teller tell_;
    unique_fd wake_; // an eventfd that is readable once the server ends
    std::atomic<bool> is_ending_ = false;
    std::vector<std::unique_ptr<worker>> workers_;
    std::thread acceptor_;
};

} // namespace fingerpost::system
