// Plans wiring and placement only for configurations without errors, then reports the problems that only
// these show.
#include "router/config/plan.hpp"

#include <fmt/format.h>
#include <utility>

#include "router/config/text_checks.hpp"

namespace fingerpost::router {
namespace {

// Spare buffers for packets in flight.
constexpr std::size_t least_left = 512;

} // namespace

start_plan make_plan(parsed_config parsed, const system::topology& machine, std::optional<unsigned> near) {
    start_plan plan{.settings = std::move(parsed.settings), .findings = std::move(parsed.findings)};
    plan.machine = machine;
    plan.near = near;
    if (plan.findings.has_errors())
        return plan;
    plan.queues = plan_wiring(plan.settings);
    plan.threads = place_threads(plan.settings, plan.queues, machine, near, plan.findings);
    const std::size_t needed = buffers_needed(plan.settings, plan.queues);
    const unsigned mbufs = plan.settings.memory.mbufs;
    const std::size_t at_start = buffers_at_start(plan.settings);
    if (mbufs != 0 && mbufs < at_start + least_left)
        plan.findings.error(
            plan.findings.place_of("memory.mbufs"),
            fmt::format("memory.mbufs is {}; the minimum is {}, because devices take {} at the start", mbufs,
                        at_start + least_left, at_start));
    else if (mbufs != 0 && mbufs < needed)
        plan.findings.warning(plan.findings.place_of("memory.mbufs"),
                              fmt::format("memory.mbufs is {}; queues, rings and bursts can hold {}, so the "
                                          "router may run out of buffers",
                                          mbufs, needed));
    return plan;
}

std::optional<unsigned> node_of_ports(const config& settings, const std::string& root) {
    std::optional<unsigned> common;
    for (const port_config& port : settings.ports) {
        if (port.is_virtual())
            continue;
        const auto node = system::node_of_device(root, bare_device(port.device));
        if (!node || (common && *common != *node))
            return std::nullopt;
        common = node;
    }
    return common;
}

} // namespace fingerpost::router
