// The server that FRR's zebra connects to, with its module dplane_fpm_nl or the older fpm (as fpm:netlink).
//
// A connection transfers the whole table, without marking its end. stale_watch.hpp defines how long the
// router keeps forwarding by the old routes during that time, and while there is no connection. Routes that
// zebra withdraws are removed immediately. There is only one client: a second one is refused while the first
// is connected, because two tables could not be kept apart. A client that has ended, or whose machine is
// dead, no longer counts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fingerpost/base/expected.hpp"
#include "router/routes/fpm/fpm_frame.hpp"
#include "router/routes/netlink/group_table.hpp"
#include "router/routes/sink/destination.hpp"
#include "router/routes/sink/route_sink.hpp"
#include "router/routes/sink/stale_watch.hpp"
#include "system/event_loop.hpp"
#include "system/system_failure.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::router {

struct fpm_options {
    any_address address = ipv4_address{0x7f000001}; // loopback: the protocol has no authentication
    std::uint16_t port = 2620;                      // 0: any free port
    stale_times times{};
    std::string network_namespace{}; // in which the server listens; empty: the program's own
    vrf_list vrfs{};                 // routes of other tables are ignored
    bool takes_over = false;         // see feeder_options
};

// Counts since the start.
struct fpm_statistics {
    std::uint64_t connections = 0;
    std::uint64_t refused = 0; // clients, because one was connected already
    std::uint64_t bytes = 0;
    std::uint64_t frames = 0;
    std::uint64_t routes = 0; // announcements, including repeated ones
    std::uint64_t withdrawals = 0;
    std::uint64_t groups = 0; // next-hop objects set, including repeated ones
    std::uint64_t group_removals = 0;
    std::uint64_t ignored = 0;      // messages for other families or purposes
    std::uint64_t other_tables = 0; // messages for tables that no VRF uses
    std::uint64_t unsupported = 0;  // paths and next-hop objects that cannot be used
    std::uint64_t errors = 0;       // connections closed because of invalid data
    std::uint64_t sweeps = 0;
};

class fpm_server {
  public:
    // The loop and the sink must outlive the server.
    static expected<std::unique_ptr<fpm_server>, system::failure>
    open(system::event_loop& loop, route_sink& sink, const fpm_options& options);
    fpm_server(const fpm_server&) = delete;
    fpm_server& operator=(const fpm_server&) = delete;
    ~fpm_server();

    const fpm_statistics& statistics() const noexcept { return statistics_; }
    feed_state state() const noexcept { return watch_.state(); }
    bool is_connected() const noexcept { return client_.get() >= 0; }
    std::uint64_t stale_routes() const noexcept { return sink_.stale().left(); }
    std::optional<system::event_loop::clock::time_point> stale_since() const noexcept {
        return watch_.stale_since();
    }
    void set_times(const stale_times& times);
    // The port that the server listens on.
    std::uint16_t port() const noexcept { return port_; }

  private:
    fpm_server(system::event_loop& loop, route_sink& sink, const fpm_options& options);
    std::optional<system::failure> listen();
    void accept_client();
    void take_client(system::unique_fd next, const std::string& from);
    void drain_client();
    void disconnect(const std::string& why);
    void read_client();
    bool read_some(bool& more);
    bool take_frames();
    void apply(const netlink_message& message);
    void apply(const route_message& route);
    void leave_out(std::uint32_t table);
    void apply(const next_hop_message& hop);
    // Withdraws the stale routes if it is time to, else sets the timer.
    void look();
    void sweep();

    system::event_loop& loop_;
    route_sink& sink_;
    fpm_options options_;
    group_table groups_;
    system::unique_fd listener_;
    system::unique_fd client_;
    std::string peer_;
    std::uint16_t port_ = 0;
    fpm_frame_reader frames_;
    std::vector<std::byte> buffer_;
    stale_watch watch_;
    system::event_loop::timer_id timer_ = system::event_loop::timer_id::none;
    system::event_loop::clock::time_point timer_end_{};
    bool has_logged_refusal_ = false; // once per connection: a refused client tries again and again
    bool has_logged_table_ = false;   // once per connection: routes of tables that no VRF uses
    fpm_statistics statistics_;
};

} // namespace fingerpost::router
