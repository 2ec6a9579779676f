// What `serve` answers over HTTP: /lookup, /metrics and /healthz. http_server (system/http) handles
// connections and the framing of requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/serve/http/request_addresses.hpp"
#include "cli/serve/limits.hpp"
#include "cli/serve/serve_counters.hpp"
#include "cli/serve/sessions.hpp"
#include "cli/serve/table/reloader.hpp"
#include "system/http/http_handler.hpp"

namespace fingerpost::cli {

class http_service final : public system::http_handler {
  public:
    http_service(const serve_limits& limits, const reloader& tables, serve_counters& counters);

    std::optional<system::http_answer> refuse_head(const system::http_request& head) override;
    system::http_answer answer(const system::http_request& request) override;
    system::http_answer refuse(const system::http_refusal& why) override;

    void answered(int code) noexcept override { counters_.count_code(code); }
    void opened() noexcept override { counters_.http.connections.fetch_add(1, std::memory_order_relaxed); }
    void closed() noexcept override { counters_.http.connections.fetch_sub(1, std::memory_order_relaxed); }
    void turned_away() noexcept override { counters_.http.refused.fetch_add(1, std::memory_order_relaxed); }

  private:
    system::http_answer answer_get(const system::http_request& request, const std::string& path);
    system::http_answer answer_query(std::string_view query);
    system::http_answer answer_body(const system::http_request& request);
    system::http_answer answer_health() const;
    // ask(session) is called with a session that waits for addresses; it returns why not, or nothing.
    template <class F>
    system::http_answer answer_from_table(F ask);

    serve_limits limits_;
    const reloader& tables_;
    serve_counters& counters_;
    session_pool sessions_;
};

} // namespace fingerpost::cli
