// The route source "file".
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "router/routes/file/file_routes.hpp"
#include "router/routes/source/route_source.hpp"
#include "system/log.hpp"

namespace fingerpost::router {
namespace {

class deaf_sink final : public route_sink {
  public:
    void announce(vrf_number, const any_prefix&, const route_target&) noexcept override {}
    void withdraw(vrf_number, const any_prefix&) noexcept override {}
    void set_group(group_id, const destination&) noexcept override {}
    void remove_group(group_id) noexcept override {}
    void begin_refresh() noexcept override {}
    void sweep() noexcept override {}
    stale_routes stale() const noexcept override { return {}; }
    void commit() noexcept override {}
};

class file_feeder final : public route_feeder {
  public:
    explicit file_feeder(const feeder_options& options)
        : path_(options.path), routes_(options.sink, options.path, options.interfaces, options.vrf_files) {}

    bool load() override {
        const auto failed = routes_.load();
        if (failed)
            system::log(system::log_level::error, "{}; the routes have not changed", io::message(*failed));
        else
            system::log(system::log_level::info, "{} routes from {}", routes_.routes(), path_);
        return !failed;
    }
    feed_status status() const override {
        feed_status result;
        result.kind = "file";
        result.detail = fmt::format("{} routes from {}", routes_.routes(), path_);
        return result;
    }

  private:
    std::string path_;
    file_routes routes_;
};

void try_file(const std::any&, const machine_trial& how, report& findings) {
    deaf_sink nothing;
    file_routes file(nothing, how.path, how.interfaces, how.vrf_files);
    if (const auto failed = file.load())
        findings.outside(findings.place_of("routes"), io::message(*failed));
}

expected<std::unique_ptr<route_feeder>, std::string> open_file(const std::any&,
                                                               const feeder_options& options) {
    return std::unique_ptr<route_feeder>(std::make_unique<file_feeder>(options));
}

} // namespace

extern const route_source file_source;
constinit const route_source file_source{
    .name = "file", .meaning = "a file", .is_path = true, .try_machine = try_file, .open = open_file};

} // namespace fingerpost::router
