// The line protocol on a Unix socket. Each thread waits for all of its clients together, never for a single
// one.
#pragma once

#include <thread>
#include <vector>

#include "cli/serve/limits.hpp"
#include "cli/serve/lines/socket_file.hpp"
#include "cli/serve/serve_counters.hpp"
#include "cli/serve/stop_event.hpp"
#include "cli/serve/table/reloader.hpp"

namespace fingerpost::cli {

class line_server {
  public:
    // Starts immediately. All arguments must outlive the server.
    line_server(socket_file& listener, const serve_limits& limits, const reloader& tables,
                serve_counters& counters, const stop_event& stopping);
    line_server(const line_server&) = delete;
    line_server& operator=(const line_server&) = delete;
    // Set `stopping` first. Waits until received lines are answered, but not longer than clients may take to
    // read.
    ~line_server();

  private:
    std::vector<std::thread> threads_;
};

} // namespace fingerpost::cli
