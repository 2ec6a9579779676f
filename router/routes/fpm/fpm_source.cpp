// The route source "fpm".
#include <any>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "router/config/keys/address_checks.hpp"
#include "router/config/keys/kinds.hpp"
#include "router/routes/fpm/fpm_server.hpp"
#include "router/routes/fpm/fpm_settings.hpp"
#include "router/routes/source/route_source.hpp"

namespace fingerpost::router {
namespace {

using namespace std::chrono_literals;

constexpr number_bounds tcp_port{1, 65'535};

key_set<fpm_settings> fpm_keys() {
    return {
        {"listen", text(&fpm_settings::listen, "an IPv4 or IPv6 address", check_address),
         "address of the FPM server, to which FRR's zebra connects"},
        {"port", number(&fpm_settings::port, tcp_port), "its TCP port"},
        {"hold_time", time(&fpm_settings::hold_time, 0ms, 8760h),
         "how long zebra's routes stay after it has disconnected; 8760h is a year"},
        {"quiet_time", time(&fpm_settings::quiet_time, 100ms, 1h),
         "after zebra has reconnected, routes that it has not sent again are removed when "
         "fpm.converged_percent of all routes are back and nothing has arrived for this long"},
        {"converged_percent", number(&fpm_settings::converged_percent, {0, 100}),
         "percentage of each family's routes that must be back after a reconnect; 0: only fpm.quiet_time "
         "counts"},
        {"sweep_limit", time(&fpm_settings::sweep_limit, 1s, 24h),
         "after zebra has reconnected, routes that it has not sent again are removed after this time at the "
         "latest"},
    };
}

const fpm_settings& read_settings(const std::any& settings) {
    return std::any_cast<const fpm_settings&>(settings);
}

stale_times times_of(const fpm_settings& settings) {
    return {settings.hold_time, settings.quiet_time, settings.sweep_limit, settings.converged_percent};
}

class fpm_feeder final : public route_feeder {
  public:
    fpm_feeder(std::unique_ptr<fpm_server> server, const fpm_settings& settings)
        : server_(std::move(server)), settings_(settings) {}

    // The listening address cannot change.
    bool adjust(const std::any& settings) override {
        const fpm_settings& next = read_settings(settings);
        if (next.listen != settings_.listen || next.port != settings_.port)
            return false;
        settings_ = next;
        server_->set_times(times_of(next));
        return true;
    }
    feed_status status() const override {
        const fpm_statistics& counts = server_->statistics();
        feed_status result;
        result.kind = "fpm";
        result.detail = fmt::format("port {}", server_->port());
        result.connected = server_->is_connected();
        result.refreshing = server_->state() == feed_state::returning;
        result.state = name_of(server_->state());
        result.stale_routes = server_->stale_routes();
        if (const auto since = server_->stale_since())
            result.stale_seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - *since).count();
        result.sweeps = counts.sweeps;
        result.errors = counts.errors;
        result.refused = counts.refused;
        result.other_tables = counts.other_tables;
        return result;
    }

  private:
    std::unique_ptr<fpm_server> server_;
    fpm_settings settings_;
};

void check_fpm(const std::any& any_settings, report& findings) {
    const fpm_settings& settings = read_settings(any_settings);
    if (settings.quiet_time > settings.sweep_limit)
        findings.error(findings.place_of("fpm.quiet_time"), "fpm.quiet_time is longer than fpm.sweep_limit");
    if (!is_loopback(settings.listen))
        findings.warning(findings.place_of("fpm.listen"),
                         fmt::format("fpm.listen is {}: any host that reaches it can change all routes, "
                                     "because FPM has no passwords",
                                     settings.listen));
}

expected<std::unique_ptr<route_feeder>, std::string> open_fpm(const std::any& any_settings,
                                                              const feeder_options& options) {
    const fpm_settings& settings = read_settings(any_settings);
    fpm_options server_options;
    server_options.address = *parse_address(settings.listen);
    server_options.port = settings.port;
    server_options.times = times_of(settings);
    server_options.takes_over = options.takes_over;
    server_options.network_namespace = options.network_namespace;
    server_options.vrfs = options.vrfs;
    auto server = fpm_server::open(options.loop, options.sink, server_options);
    if (!server)
        return unexpected{server.error().reason};
    return std::unique_ptr<route_feeder>(std::make_unique<fpm_feeder>(std::move(*server), settings));
}

} // namespace

extern const route_source fpm_source;
constinit const route_source fpm_source{
    .name = "fpm",
    .meaning = "FRR over FPM",
    .presets = [] { return std::any(fpm_settings{}); },
    .read = [](const toml::table& section, const incoming& at,
               std::any& into) { fpm_keys().read(section, at, std::any_cast<fpm_settings&>(into)); },
    .list = [](const std::string& section, std::vector<key_facts>& into) { fpm_keys().list(section, into); },
    .list_values =
        [](const std::string& section, const std::any& settings, std::vector<setting>& into) {
            fpm_keys().list_values(section, read_settings(settings), into);
        },
    .check = check_fpm,
    .try_machine = [](const std::any& settings, const machine_trial& how,
                      report&) { how.listen("fpm.listen", read_settings(settings).listen); },
    .open = open_fpm};

} // namespace fingerpost::router
