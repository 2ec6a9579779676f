// Serves the router's metrics to Prometheus over HTTP: GET /metrics, and GET /healthz for monitoring.
#pragma once

#include <memory>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "router/hits_status.hpp"
#include "router/service.hpp"
#include "router/status.hpp"
#include "system/http/http_server.hpp"

namespace fingerpost::router {

std::string metrics_of(const router_status& now, const hits_status& hits);

class metrics_server {
  public:
    // `listen` is an address and a port, written as in the configuration. The service must outlive the
    // server. The error is a sentence.
    static expected<std::unique_ptr<metrics_server>, std::string> open(service& of,
                                                                       const std::string& listen);
    ~metrics_server();

  private:
    class handler;
    metrics_server(std::unique_ptr<handler> answers, std::unique_ptr<system::http_server> server);

    std::unique_ptr<handler> handler_;
    std::unique_ptr<system::http_server> server_; // last, because it uses the handler
};

} // namespace fingerpost::router
