// Converts the options to the server's rules.
#include "cli/serve/http_part.hpp"

#include <optional>
#include <string>
#include <utility>

#include "system/log.hpp"
#include "terminal/failure.hpp"
#if FINGERPOST_HAVE_HTTP
#include "cli/serve/http/http_service.hpp"
#include "system/http/http_server.hpp"
#endif

namespace fingerpost::cli {

http_part::http_part() = default;
http_part::~http_part() = default;

#if FINGERPOST_HAVE_HTTP

struct http_part::parts {
    http_service service;
    std::unique_ptr<system::http_server> server{};
};

void http_part::open(const serve_options& options, system::unique_fd listener, const reloader& tables,
                     serve_counters& counters, access_log* log) {
    const bool is_loopback = options.http->is_loopback();
    if (!is_loopback)
        system::log(system::log_level::warning,
                    "listening on {}, which is not a loopback address: every host that can connect can query",
                    options.http->text());
    system::http_rules rules{.patience = options.limits.patience, .connections = options.limits.connections};
    rules.sizes.body_bytes = options.limits.body_bytes;
    rules.hosts.checks = is_loopback || !options.hosts.empty();
    rules.hosts.names = options.hosts;
    rules.hosts.names.push_back(options.http->address);
    parts_.reset(new parts{{options.limits, tables, counters, log}});
    auto server = system::http_server::open(
        std::move(listener), std::move(rules), options.limits.threads, parts_->service,
        [](const std::string& words) { system::log(system::log_level::error, "HTTP: {}", words); });
    if (!server)
        throw failure("HTTP: " + server.error().reason);
    parts_->server = std::move(*server);
    system::log(system::log_level::info, "HTTP on http://{}", options.http->text());
}

void http_part::end() noexcept {
    if (parts_)
        parts_->server->end();
}

#else

struct http_part::parts {};

void http_part::open(const serve_options&, system::unique_fd, const reloader&, serve_counters&, access_log*) {
    throw usage_error(
        "serve: this program was built without Boost.Beast, so it has no HTTP; give --socket alone");
}

void http_part::end() noexcept {}

#endif

} // namespace fingerpost::cli
