// Answers of `serve` over HTTP: lookups, its state, and a page for queries. http_server (system/http) handles
// connections and the framing of requests.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/serve/http/request_addresses.hpp"
#include "cli/serve/limits.hpp"
#include "cli/serve/log/access_log.hpp"
#include "cli/serve/serve_counters.hpp"
#include "cli/serve/sessions.hpp"
#include "cli/serve/table/reloader.hpp"
#include "system/http/http_handler.hpp"

namespace fingerpost::cli {

class http_service final : public system::http_handler {
  public:
    // `log` may be nullptr. All arguments except the limits must outlive the service.
    http_service(const serve_limits& limits, const reloader& tables, serve_counters& counters,
                 access_log* log);

    std::optional<system::http_answer> refuse_head(const system::http_request& head) override;
    system::http_answer answer(const system::http_request& request) override;
    system::http_answer refuse(const system::http_refusal& why) override;

    void answered(const system::http_exchange& exchange) noexcept override;
    void opened() noexcept override { counters_.http.connections.fetch_add(1, std::memory_order_relaxed); }
    void closed() noexcept override { counters_.http.connections.fetch_sub(1, std::memory_order_relaxed); }
    void turned_away() noexcept override { counters_.http.refused.fetch_add(1, std::memory_order_relaxed); }

  private:
    // A request, and the part of its path after the route.
    struct routed_request {
        const system::http_request& request;
        std::string below{};
    };
    // One path, or all paths below it if it ends with a slash.
    struct route {
        std::string_view path;
        bool takes_post;
        system::http_answer (http_service::*answer)(const routed_request& what);
    };
    static std::span<const route> routes();
    static const route* find_route(const std::string& path);

    system::http_answer answer_page(const routed_request& what);
    system::http_answer answer_openapi(const routed_request& what);
    system::http_answer answer_version(const routed_request& what);
    system::http_answer answer_metrics(const routed_request& what);
    system::http_answer answer_health(const routed_request& what);
    system::http_answer answer_tables(const routed_request& what);
    system::http_answer answer_lookup(const routed_request& what);
    system::http_answer answer_lookup_below(const routed_request& what);
    system::http_answer answer_covers(const routed_request& what);
    system::http_answer answer_covers_below(const routed_request& what);
    system::http_answer answer_explain_below(const routed_request& what);
    system::http_answer answer_body(const routed_request& what);

    enum class wanted : std::uint8_t { matches, covers };
    // Looks up each address of the query.
    system::http_answer answer_query(const routed_request& what, wanted which);
    // Calls ask(session) with a session that accepts addresses. `ask` returns the reason of a refusal, or
    // nothing.
    template <class F>
    system::http_answer answer_from_table(const system::http_request& request, wanted which, F ask);

    serve_limits limits_;
    const reloader& tables_;
    serve_counters& counters_;
    access_log* log_;
    session_pool sessions_;
    std::mutex explaining_; // held while an address is explained
};

} // namespace fingerpost::cli
