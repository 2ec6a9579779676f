// Connects an engine to ring devices, like the service does with real ones.
#include "router/tests/data/ring_router.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rte_lcore.h>

namespace fingerpost::router::testing {
namespace {

constexpr std::uint32_t first_link = 10;

config settings_of(const shape& form) {
    config settings;
    settings.threads.mode = form.mode;
    settings.threads.receive = form.receive;
    settings.threads.lookup = form.lookup;
    settings.threads.send = form.send;
    settings.ports.resize(2);
    return settings;
}

} // namespace

void PrintTo(const shape& one, std::ostream* to) {
    *to << name_of(one.mode) << " " << one.receive << "/" << one.lookup << "/" << one.send << ", "
        << one.transmit_queues << " transmit queues";
}

void ring_router::make(const shape& form, const ring_router_options& wanted) {
    test_pool(); // starts DPDK
    engine_options options;
    const std::vector<port_queues> queues(2, {1, form.transmit_queues});
    options.plan = plan_wiring(settings_of(form), queues);
    for (std::uint32_t i = 0; i < 2; ++i) {
        ports.push_back(std::make_unique<ring_device>(form.transmit_queues));
        options.devices.push_back(ports[i]->number);
        if (wanted.taps) {
            taps.push_back(std::make_unique<ring_device>(1));
            options.taps.push_back(taps[i]->number);
        }
        options.tap_names.push_back("fp" + std::to_string(i));
        options.macs.push_back({{2, 0, 0, 0, 0, static_cast<std::uint8_t>(i + 1)}});
    }
    options.packets = &test_pool();
    options.flows = flow_key(1);
    options.sleeps = wanted.sleeps;
    options.icmp_errors = wanted.icmp_errors;
    options.neighbour_packets = wanted.neighbour_packets;
    options.vrfs = wanted.vrfs;
    options.to_kernel = wanted.to_kernel;
    auto made = engine::create(std::move(options));
    ASSERT_TRUE(made);
    router = std::move(*made);
    for (std::uint32_t i = 0; i < 2; ++i)
        router->tables().links().set_link(
            {first_link + i, "fp" + std::to_string(i), mac_of(i + 1), wanted.mtus[i], true, 0, 0});
}

void ring_router::add_address(std::uint32_t interface, const char* address, std::uint8_t length) {
    router->tables().links().set_address({interface, at(address), length, std::nullopt, true});
}

void ring_router::resolve(std::uint32_t interface, const char* address, std::uint32_t mac) {
    router->tables().links().set_neighbour({interface, at(address), mac_of(mac), neighbour_state::resolved});
}

void ring_router::exchange_threads(const shape& form, unsigned burst) {
    const std::vector<port_queues> queues(2, {1, static_cast<unsigned>(ports[0]->out.size())});
    thread_options wanted;
    wanted.plan = plan_wiring(settings_of(form), queues);
    wanted.burst = burst;
    wanted.sleeps = true;
    ASSERT_EQ(router->exchange_threads(std::move(wanted), {}), errc::ok);
}

void ring_router::announce(const any_prefix& where, const char* gateway, vrf_number vrf) {
    router->tables().announce(vrf, where, destination{action::forward, {{at(gateway), 0, 1}}});
}

void ring_router::announce(const any_prefix& where, action what) {
    router->tables().announce(where, destination{what, {}});
}

void ring_router::commit() {
    router->tables().links().commit();
    router->tables().commit();
}

void ring_router::run() {
    while (router->round() != 0) {
    }
}

void ring_router::start() {
    std::vector<unsigned> lcores;
    for (unsigned i = 0; i < router->plan().threads.size(); ++i)
        lcores.push_back(i + 1);
    ASSERT_LT(lcores.back(), rte_lcore_count());
    ASSERT_TRUE(router->start(lcores));
}

std::uint64_t ring_router::sum(counter thread_counters::*which) const {
    std::uint64_t all = (router->former_counters().*which).get();
    for (std::size_t i = 0; i < router->plan().threads.size(); ++i)
        all += (router->counters(i).*which).get();
    return all;
}

std::uint64_t ring_router::dropped(drop_reason why) const {
    std::uint64_t all = router->former_counters().dropped[index_of(why)].get();
    for (std::size_t i = 0; i < router->plan().threads.size(); ++i)
        all += router->counters(i).dropped[index_of(why)].get();
    return all;
}

std::uint64_t ring_router::dropped() const {
    std::uint64_t all = 0;
    for (const drop_reason_facts& one : drop_reasons)
        all += dropped(one.reason);
    return all;
}

std::int64_t ring_router::unaccounted() const {
    const std::uint64_t came = sum(&thread_counters::received) + sum(&thread_counters::from_kernel) +
                               sum(&thread_counters::generated);
    const std::uint64_t went =
        sum(&thread_counters::sent) + sum(&thread_counters::to_kernel) + dropped() + router->waiting();
    return static_cast<std::int64_t>(came - went);
}

} // namespace fingerpost::router::testing
