// Accepts connections of HTTP and gives each a thread while it is open.
//
// A client that is slow so holds up nobody else, and the most connections bound the threads. How many of them
// answer at once is bounded apart (session_pool).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/serve/http_service.hpp"
#include "cli/serve/limits.hpp"
#include "cli/serve/stop_event.hpp"
#include "router/system/unique_fd.hpp"

namespace fingerpost::cli {

class http_server {
  public:
    // Begins at once. What it is given outlives it.
    http_server(router::unique_fd listener, const serve_limits& limits, const reloader& tables,
                serve_counters& counters, const stop_event& stopping);
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;
    // After `stopping` is set: waits until what was accepted is answered.
    ~http_server();

  private:
    void accept_all();
    bool accept_one();
    void begin(router::unique_fd connection);
    void refuse(const router::unique_fd& connection);
    void serve_connections();

    router::unique_fd listener_;
    const serve_limits& limits_;
    serve_counters& counters_;
    const stop_event& stopping_;
    http_service service_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<router::unique_fd> waiting_; // for a thread that is idle
    std::size_t idle_ = 0;
    bool ending_ = false; // no more will wait
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

} // namespace fingerpost::cli
