// Changes the configuration while packets are forwarded. Each step records how to undo it, in case a later
// one fails.
#include "router/service.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "router/config/changes/settings.hpp"
#include "router/threads/pinning.hpp"
#include "system/log.hpp"

namespace fingerpost::router {
namespace {

// Bytes of a frame in addition to the packet: the space that ring_frame_bytes() reserves for the kernel's
// header.
constexpr unsigned beside_in_ring = 128;

// Settings of the selected route source.
std::vector<setting> of_source(const config& from) {
    const route_source& source = source_of(from.routes.feed);
    std::vector<setting> settings;
    if (source.list_values != nullptr)
        source.list_values(std::string(source.name), from.sources.of(from.routes.feed), settings);
    return settings;
}

bool is_same_source(const config& a, const config& b) {
    return a.routes.feed == b.routes.feed && a.routes.path == b.routes.path;
}

bool has(const std::vector<port_address>& list, const port_address& address) {
    return std::find(list.begin(), list.end(), address) != list.end();
}

} // namespace

bool service::has_room_for_mtu(std::size_t port, unsigned mtu) const noexcept {
    return mtu <= packets_.longest_packet(port) &&
           (frame_bytes_[port] == 0 || mtu + beside_in_ring <= frame_bytes_[port]);
}

std::optional<std::string> service::change(const config& target, const report& read, scheme_exchange* built,
                                           bool load_again) {
    undo_list undo;
    auto failed = change_ports(target, undo);
    if (!failed && built != nullptr)
        failed = change_scheme(*built, undo);
    if (!failed && has_other_threads(plan_.settings, target))
        failed = change_threads(target, undo);
    if (!failed)
        failed = change_routes(target, load_again);
    if (failed) {
        for (auto back = undo.rbegin(); back != undo.rend(); ++back)
            (*back)();
        return failed;
    }
    plan_.settings = target;
    plan_.findings = read;
    return std::nullopt;
}

std::optional<std::string> service::change_ports(const config& target, undo_list& undo) {
    for (std::size_t i = 0; i < target.ports.size(); ++i) {
        const port_config& now = plan_.settings.ports[i];
        const port_config& next = target.ports[i];
        if (next.mtu != now.mtu)
            if (auto failed = change_mtu_of(i, next.mtu, undo))
                return failed;
        if (next.addresses != now.addresses)
            if (auto failed = change_addresses(i, next, undo))
                return failed;
    }
    return std::nullopt;
}

// The TAP's MTU is the one that packets are compared with, so the device must always accept packets of that
// length.
std::optional<std::string> service::change_mtu_of(std::size_t port, unsigned mtu, undo_list& undo) {
    const port_config& now = plan_.settings.ports[port];
    const auto of_tap = [this, port, name = now.name](unsigned to) -> std::optional<std::string> {
        if (auto failed = interfaces_->set_mtu(taps_[port].kernel_interface(), to))
            return fmt::format("port '{}': {}", name, failed->reason);
        return std::nullopt;
    };
    const auto of_device = [this, port, now](unsigned to) { return change_mtu(now, ports_[port], to); };
    const bool grows = mtu > now.mtu;
    std::array<std::function<std::optional<std::string>(unsigned)>, 2> steps{of_device, of_tap};
    if (!grows)
        std::swap(steps[0], steps[1]);
    for (const auto& step : steps) {
        if (auto failed = step(mtu))
            return failed;
        undo.push_back([step, back = now.mtu] { (void)step(back); });
    }
    return std::nullopt;
}

// Adds new addresses first, so that a network in both lists never loses its last address. When the kernel
// removes the first address of a network it may remove the others too, so all are set again at the end.
std::optional<std::string> service::change_addresses(std::size_t port, const port_config& target,
                                                     undo_list& undo) {
    const port_config& now = plan_.settings.ports[port];
    const auto failure = [&](const std::string& why) { return fmt::format("port '{}': {}", now.name, why); };
    const auto on_interface = [this, port](const port_address& address) {
        const std::uint32_t of_vlan =
            address.vlan == 0
                ? taps_[port].kernel_interface()
                : engine_->tables().links().find_interface(static_cast<std::uint16_t>(port),
                                                           static_cast<std::uint16_t>(address.vlan));
        return interface_address{of_vlan, address.address, address.length, {}, true};
    };
    const auto add = [this, on_interface](const port_address& address) {
        return interfaces_->add(on_interface(address));
    };
    const auto remove = [this, on_interface](const port_address& address) {
        return interfaces_->remove(on_interface(address));
    };
    for (const port_address& address : target.addresses) {
        if (has(now.addresses, address))
            continue;
        if (const auto failed = add(address))
            return failure(failed->reason);
        undo.push_back([=] { (void)remove(address); });
    }
    for (const port_address& address : now.addresses) {
        if (has(target.addresses, address))
            continue;
        if (const auto failed = remove(address))
            return failure(failed->reason);
        undo.push_back([=] { (void)add(address); });
    }
    for (const port_address& address : target.addresses)
        if (const auto failed = add(address))
            return failure(failed->reason);
    return std::nullopt;
}

std::optional<std::string> service::change_scheme(scheme_exchange& built, undo_list& undo) {
    forwarding& tables = engine_->tables();
    const std::string before = tables.scheme();
    if (const errc failed = tables.finish_scheme(built); failed != errc::ok)
        return fmt::format("the tables cannot be replaced: {}", message(failed));
    undo.push_back([&tables, before] {
        auto back = tables.begin_scheme(before);
        if (!back || back->build() != errc::ok || tables.finish_scheme(*back) != errc::ok)
            system::log(system::log_level::error, "the scheme cannot be restored: it remains '{}'",
                        tables.scheme());
    });
    return std::nullopt;
}

// The devices keep their queues: if there are more threads than transmit queues of a port, one thread sends
// for the others.
std::optional<std::string> service::change_threads(const config& target, undo_list& undo) {
    std::vector<port_queues> queues;
    for (std::size_t i = 0; i < ports_.size(); ++i)
        queues.push_back({target.ports[i].queues, transmit_queues_[i]});
    wiring plan = plan_wiring(target, queues);
    report findings;
    placement where = place_threads(target, plan, plan_.machine, plan_.near, findings);
    if (findings.has_errors())
        return findings.problems().front().text;
    if (const std::size_t needed = buffers_needed(target, plan); needed > packets_.any().size)
        system::log(system::log_level::warning,
                    "there are {} packet buffers, but the new queues, rings and bursts can hold {}; the "
                    "router may run out of buffers until a restart",
                    packets_.any().size, needed);
    const errc failed = engine_->exchange_threads(threads_of(target, plan), where.cores);
    if (failed == errc::capacity) {
        ended_by_ = "the new threads could not be started";
        loop_->stop();
    }
    if (failed != errc::ok)
        return fmt::format("the threads cannot be created: {}", message(failed));
    for (const std::string& line : where.lines)
        system::log(system::log_level::info, "{}", line);
    system::log(system::log_level::info, "new threads are forwarding; packets waited for {} us",
                std::chrono::duration_cast<std::chrono::microseconds>(engine_->pause()).count());
    undo.push_back([this, before = plan_.settings, plan_before = plan_.queues, where_before = plan_.threads] {
        if (engine_->exchange_threads(threads_of(before, plan_before), where_before.cores) != errc::ok) {
            ended_by_ = "the previous threads could not be restarted";
            loop_->stop();
        }
        plan_.queues = plan_before;
        plan_.threads = where_before;
        run_on_core(plan_.threads.control);
    });
    plan_.queues = std::move(plan);
    plan_.threads = std::move(where);
    run_on_core(plan_.threads.control);
    return std::nullopt;
}

std::optional<std::string> service::change_routes(const config& target, bool load_again) {
    if (!is_same_source(plan_.settings, target))
        return replace_source(target);
    if (of_source(plan_.settings) != of_source(target) &&
        !feeder_->adjust(target.sources.of(target.routes.feed)))
        return replace_source(target);
    if (load_again && !feeder_->load())
        return "the routes cannot be read";
    return std::nullopt;
}

// Packets follow the routes of the former source until the new one has announced its own: to the tables, the
// new source is the old one after a reconnect.
std::optional<std::string> service::replace_source(const config& target) {
    forwarding& tables = engine_->tables();
    const std::uint32_t former = tables.source();
    const auto fail = [&](std::string why) {
        tables.set_source(former);
        return why;
    };
    tables.set_source(former + 1);
    std::unique_ptr<kernel_mirror> mirror;
    if (source_of(target.routes.feed).is_kernel || source_of(plan_.settings.routes.feed).is_kernel) {
        auto opened = open_mirror(target.routes.feed);
        if (!opened)
            return fail(opened.error());
        mirror = std::move(*opened);
    }
    auto feeder = open_feeder(target, mirror ? *mirror : *mirror_, true);
    if (!feeder)
        return fail(feeder.error());
    if (!(*feeder)->load())
        return fail("the routes cannot be read");
    feeder_ = std::move(*feeder);
    if (mirror)
        mirror_ = std::move(mirror);
    return std::nullopt;
}

} // namespace fingerpost::router
