// The line protocol on a unix socket. Each thread waits for all clients that it has accepted, and never for a
// single one.
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
    // Starts at once. All arguments must outlive it.
    line_server(socket_file& listener, const serve_limits& limits, const reloader& tables,
                serve_counters& counters, const stop_event& stopping);
    line_server(const line_server&) = delete;
    line_server& operator=(const line_server&) = delete;
    // Call it after setting `stopping`: waits until lines that have come in are answered, at most for the
    // time that clients may take to read.
    ~line_server();

  private:
    std::vector<std::thread> threads_;
};

} // namespace fingerpost::cli
