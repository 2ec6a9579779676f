// An HTTP/1.1 server. One thread accepts connections; the others serve them, each with its own loop.
//
// No thread waits for a client, so a slow client does not delay others. A request is answered in the thread
// of its connection.
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
    // Gets a sentence about each error, in any thread.
    using teller = std::function<void(const std::string&)>;

    // Immediately starts to answer clients of the listening socket. The handler must outlive the server.
    static expected<std::unique_ptr<http_server>, failure>
    open(unique_fd listener, http_rules rules, unsigned threads, http_handler& handler, teller report);
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;
    // Waits until all requests that have arrived are answered.
    ~http_server();

    // Accepts no more connections, and answers the requests that have arrived. May be called by any thread.
    void end() noexcept;

  private:
    class worker;

    http_server(unique_fd listener, http_rules rules, http_handler& handler, teller report);
    void accept_all();
    bool accept_one();
    void begin(unique_fd connection);
    void turn_away(const unique_fd& connection);

    unique_fd listener_;
    const http_rules rules_;
    http_handler& handler_;
    const teller report_;
    unique_fd wake_; // an eventfd that is readable once the server ends
    std::atomic<bool> is_ending_ = false;
    std::vector<std::unique_ptr<worker>> workers_;
    std::thread acceptor_;
};

} // namespace fingerpost::system
