// The HTTP server of `serve`, or an error message in a build without one.
#pragma once

#include <memory>

#include "cli/serve/log/access_log.hpp"
#include "cli/serve/serve_counters.hpp"
#include "cli/serve/serve_options.hpp"
#include "cli/serve/table/reloader.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::cli {

class http_part {
  public:
    http_part();
    http_part(const http_part&) = delete;
    http_part& operator=(const http_part&) = delete;
    // Waits until all received requests are answered.
    ~http_part();

    // Starts to answer at a socket that listens at `options.http`. `log` may be nullptr. All arguments except
    // the socket must outlive this object.
    void open(const serve_options& options, system::unique_fd listener, const reloader& tables,
              serve_counters& counters, access_log* log);
    // Stops accepting connections.
    void end() noexcept;

  private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace fingerpost::cli
