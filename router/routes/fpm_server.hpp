// The server that FRR's zebra connects to, with its module dplane_fpm_nl or with the older fpm (as
// fpm:netlink).
//
// A connection brings the whole table, without a mark of its end. The router forwards by the old routes until
// nothing came for a quiet time, or until a limit, and then what was not announced again is withdrawn. The
// quiet time begins with the first message: a zebra that has just been started has nothing to say at first.
// When a connection ends the routes stay. The newest connection counts; an older one is closed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "router/routes/destination.hpp"
#include "router/routes/fpm_frame.hpp"
#include "router/routes/group_table.hpp"
#include "router/routes/route_sink.hpp"
#include "router/system/event_loop.hpp"
#include "router/system/failure.hpp"
#include "router/system/unique_fd.hpp"

namespace fingerpost::router {

struct fpm_options {
    any_address address = ipv4_address{0x7f000001}; // loopback: the protocol has no authentication
    std::uint16_t port = 2620;                      // 0: any that is free
    // Long enough for pauses within a table, and short beside the time that stale routes do harm.
    std::chrono::milliseconds quiet_time = std::chrono::seconds(5);
    std::chrono::milliseconds limit = std::chrono::seconds(120);
    std::string network_namespace{}; // in which the server listens; empty: the program's own
};

// Counted since the start.
struct fpm_statistics {
    std::uint64_t connections = 0;
    std::uint64_t bytes = 0;
    std::uint64_t frames = 0;
    std::uint64_t routes = 0; // announced, each time anew
    std::uint64_t withdrawals = 0;
    std::uint64_t groups = 0; // next-hop objects set, each time anew
    std::uint64_t group_removals = 0;
    std::uint64_t ignored = 0;     // messages for other tables, families or purposes
    std::uint64_t unsupported = 0; // paths and next-hop objects that cannot be used
    std::uint64_t errors = 0;      // connections closed because of what they sent
    std::uint64_t sweeps = 0;
    bool connected = false;
    bool in_refresh = false;
};

class fpm_server {
  public:
    // Both must outlive the server.
    static expected<std::unique_ptr<fpm_server>, failure> open(event_loop& loop, route_sink& sink,
                                                               const fpm_options& options);
    fpm_server(const fpm_server&) = delete;
    fpm_server& operator=(const fpm_server&) = delete;
    ~fpm_server();

    const fpm_statistics& statistics() const noexcept { return statistics_; }
    // The one it listens on.
    std::uint16_t port() const noexcept { return port_; }

  private:
    fpm_server(event_loop& loop, route_sink& sink, const fpm_options& options);
    std::optional<failure> listen();
    void accept_client();
    void disconnect(const std::string& why);
    void read_client();
    bool read_some(bool& more);
    bool take_frames();
    void apply(const netlink_message& message);
    void apply(const route_message& route);
    void apply(const next_hop_message& hop);
    void begin_refresh();
    void wait_for_quiet(event_loop::clock::duration time);
    void sweep();

    event_loop& loop_;
    route_sink& sink_;
    fpm_options options_;
    group_table groups_;
    unique_fd listener_;
    unique_fd client_;
    std::string peer_;
    std::uint16_t port_ = 0;
    fpm_frame_reader frames_;
    std::vector<std::byte> buffer_;
    event_loop::timer_id quiet_timer_ = event_loop::timer_id::none;
    event_loop::timer_id limit_timer_ = event_loop::timer_id::none;
    event_loop::clock::time_point last_message_{};
    fpm_statistics statistics_;
};

} // namespace fingerpost::router
