// What `serve` answers over HTTP: /lookup, /metrics and /healthz. cpp-httplib reads requests and writes
// answers; connections are http_server's.
#pragma once

#include <httplib.h>
#include <string>
#include <string_view>

#include "cli/serve/counters.hpp"
#include "cli/serve/http_stream.hpp"
#include "cli/serve/limits.hpp"
#include "cli/serve/reloader.hpp"
#include "cli/serve/sessions.hpp"

namespace fingerpost::cli {

class http_service final : private httplib::Server {
  public:
    http_service(const serve_limits& limits, const reloader& tables, serve_counters& counters);

    // Answers one request after the other until the connection ends. Threads may do so at once, each for a
    // connection of its own.
    void serve(http_stream& stream, const stop_event& stopping);

  private:
    bool serve_one(http_stream& stream, bool is_last);
    void answer_path(const httplib::Request& request, httplib::Response& response);
    void answer_query(const httplib::Request& request, httplib::Response& response);
    void answer_body(const httplib::Request& request, httplib::Response& response,
                     const httplib::ContentReader& reader);
    void answer_health(httplib::Response& response) const;
    // ask(session) is called with a session that waits for addresses; it returns why not, or nothing.
    template <class F>
    void answer(httplib::Response& response, F ask);

    serve_limits limits_;
    const reloader& tables_;
    serve_counters& counters_;
    session_pool sessions_;
};

// What a connection is told that is refused because there are too many.
std::string too_many_connections();

} // namespace fingerpost::cli
