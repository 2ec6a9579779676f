// The route source "kernel": the kernel's main tables.
#include <fmt/format.h>
#include <memory>

#include "router/routes/kernel/kernel_mirror.hpp"
#include "router/routes/sink/stale_watch.hpp"
#include "router/routes/source/route_source.hpp"

namespace fingerpost::router {
namespace {

class kernel_feeder final : public route_feeder {
  public:
    explicit kernel_feeder(const kernel_mirror& mirror) : mirror_(mirror) {}

    feed_status status() const override {
        const mirror_statistics& counts = mirror_.statistics();
        feed_status result;
        result.kind = "kernel";
        result.detail = fmt::format("{} events", counts.events);
        result.refreshing = !counts.synchronised;
        result.state = name_of(counts.synchronised ? feed_state::complete : feed_state::returning);
        result.sweeps = counts.overruns;
        result.errors = counts.errors;
        return result;
    }

  private:
    const kernel_mirror& mirror_;
};

expected<std::unique_ptr<route_feeder>, std::string> open_kernel(const std::any&,
                                                                 const feeder_options& options) {
    return std::unique_ptr<route_feeder>(std::make_unique<kernel_feeder>(options.mirror));
}

} // namespace

extern const route_source kernel_source;
constinit const route_source kernel_source{
    .name = "kernel", .meaning = "the kernel's main tables", .is_kernel = true, .open = open_kernel};

} // namespace fingerpost::router
