// Opens the router's resources in order of dependence, and runs the control loop.
#include "router/service.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <net/if.h>
#include <utility>

#include <fmt/format.h>
#include <rte_ethdev.h>

#include "fingerpost/net/text.hpp"
#include "router/config/text_checks.hpp"
#include "router/config/vrf_plan.hpp"
#include "router/ports/environment.hpp"
#include "router/ports/long_frames.hpp"
#include "router/routes/kernel/interface_setup.hpp"
#include "router/routes/kernel/vlan_devices.hpp"
#include "system/log.hpp"
#include "system/network_namespace.hpp"
#include "system/privileges.hpp"

namespace fingerpost::router {
namespace {

// Interval at which postponed changes are published and replaced objects are freed.
constexpr std::chrono::milliseconds between_polls{2};

// Interval at which drivers are asked for the link state of their ports.
constexpr std::chrono::milliseconds between_looks_at_links{20};

constexpr std::chrono::seconds between_looks_at_losses{1};

// The kernel is asked at this interval to confirm up to this many neighbours; each costs up to three frames.
constexpr std::chrono::milliseconds between_confirmations{100};
constexpr std::size_t most_confirmations = 50;

// Creates the VLAN devices of a TAP, and sets addresses on all of them, where these are missing.
std::optional<system::failure> set_up_tap(const port_config& port) {
    if (auto refused = add_vlan_devices(port.tap, port.vlans))
        return refused;
    std::map<unsigned, std::vector<interface_address>> by_vlan{{0, {}}};
    for (const port_address& address : port.addresses)
        by_vlan[address.vlan].push_back({0, address.address, address.length, {}, true});
    for (const auto& [vlan, addresses] : by_vlan) {
        const std::string name = vlan == 0 ? port.tap : fmt::format("{}.{}", port.tap, vlan);
        if (auto refused = set_up_interface(name, addresses))
            return refused;
    }
    return std::nullopt;
}

} // namespace

expected<std::unique_ptr<service>, std::string> service::open(start_plan plan) {
    std::unique_ptr<service> router(new service(std::move(plan)));
    for (const auto step :
         {&service::open_loop, &service::open_ports, &service::open_taps, &service::open_engine,
          &service::open_routes, &service::open_carriers, &service::keep_taps, &service::drop_root})
        if (auto failed = (router.get()->*step)())
            return unexpected{std::move(*failed)};
    return router;
}

service::~service() {
    calls_.reset();
    feeder_.reset();
    port_links_.reset();
    mirror_.reset();
    if (engine_)
        engine_->stop();
    watching_.reset();
    // Routing daemons may lose routes permanently when their interfaces disappear. TAPs therefore stay after
    // a run, and the next start takes them over. After a failed start, the TAPs that it created are removed.
    for (open_device& tap : taps_)
        tap.leave_open();
    if (!has_run_)
        for (const tap_file& file : new_taps_)
            (void)file.keep(false);
    taps_.clear();
    ports_.clear();
    engine_.reset();
}

// Signals are blocked in all threads started later, including DPDK's.
std::optional<std::string> service::open_loop() {
    auto loop = system::event_loop::create();
    if (!loop)
        return loop.error().reason;
    loop_.emplace(std::move(*loop));
    for (const int signal : {SIGTERM, SIGINT})
        if (auto failed = loop_->on_signal(signal, [this](int) { loop_->stop(); }))
            return failed->reason;
    if (auto failed = loop_->on_signal(SIGHUP, [this](int) { hung_up_(); }))
        return failed->reason;
    auto calls = system::call_queue::create(*loop_);
    if (!calls)
        return calls.error().reason;
    calls_ = std::move(*calls);
    hung_up_ = [this] { (void)feeder_->load(); };
    return std::nullopt;
}

std::optional<std::string> service::open_ports() {
    const config& settings = plan_.settings;
    if (auto failed = claim_interfaces())
        return failed;
    if (auto failed = start_environment(settings, plan_.threads, packet_memory(settings)))
        return failed;
    std::vector<found_device> devices;
    std::vector<port_queues> queues;
    for (const port_config& port : settings.ports) {
        auto device = find_device(port);
        if (!device)
            return device.error();
        devices.push_back(*device);
        queues.push_back({port.queues, device->most.transmit});
    }
    plan_.queues = plan_wiring(settings, queues);
    auto packets = packet_pools::create(settings, plan_.queues);
    if (!packets)
        return packets.error();
    packets_ = std::move(*packets);
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        auto opened = open_port(settings.ports[i], devices[i],
                                {settings.ports[i].queues, std::max(1U, plan_.queues.transmit_queues[i])},
                                packets_.of(i));
        if (!opened)
            return opened.error();
        ports_.push_back(std::move(*opened));
        transmit_queues_.push_back(std::max(1U, plan_.queues.transmit_queues[i]));
        rings_.push_back(losses_before(settings.ports[i], ports_.back()));
        frame_bytes_.push_back(ring_frame_bytes(settings.ports[i]));
    }
    deaf_ = deaf_ports(ports_.size());
    return std::nullopt;
}

// Runs before DPDK opens the devices, because af_packet would share an interface with any other program.
std::optional<std::string> service::claim_interfaces() {
    for (const port_config& port : plan_.settings.ports)
        for (const port_config& device : devices_of(port))
            if (const std::string below = interface_below(device); !below.empty()) {
                auto claim = interface_claim::take(below);
                if (!claim)
                    return fmt::format("port '{}': {}", port.name, claim.error());
                claims_.push_back(std::move(*claim));
            }
    return std::nullopt;
}

ring_losses service::losses_before(const port_config& port, const open_device& opened) const {
    if (port.device.starts_with("net_tap")) {
        std::array<char, IF_NAMESIZE> name{};
        if (::if_indextoname(opened.kernel_interface(), name.data()) != nullptr)
            return ring_losses::of_tap(name.data());
    }
    std::vector<std::string> interfaces;
    for (const port_config& device : devices_of(port))
        if (std::string below = interface_below(device); !below.empty())
            interfaces.push_back(std::move(below));
    return {interfaces, rings_};
}

std::optional<std::string> service::open_taps() {
    const config& settings = plan_.settings;
    std::optional<std::string> failed;
    const auto entered = system::in_network_namespace(settings.kernel.network_namespace, [&] {
        for (std::size_t i = 0; i < settings.ports.size() && !failed; ++i) {
            const bool is_new = ::if_nametoindex(settings.ports[i].tap.c_str()) == 0;
            auto opened = open_tap(settings.ports[i], ports_[i], packets_.of(i));
            if (!opened) {
                failed = opened.error();
                return;
            }
            taps_.push_back(std::move(*opened));
            if (is_new)
                new_taps_.push_back(tap_file::find(settings.ports[i].tap));
            keep_secondary_addresses(settings.ports[i].tap);
            if (auto refused = set_up_tap(settings.ports[i]))
                failed = fmt::format("port '{}': {}", settings.ports[i].name, refused->reason);
        }
        if (failed)
            return;
        if (auto kernel = interface_changes::open())
            interfaces_ = std::move(*kernel);
        else
            failed = kernel.error().reason;
    });
    return entered ? entered->reason : failed;
}

thread_options service::threads_of(const config& settings, const wiring& plan) {
    thread_options options;
    options.plan = plan;
    options.burst = settings.threads.burst;
    options.sleeps = settings.threads.idle == idle_mode::sleep;
    options.neighbour_packets = settings.kernel.neighbour_queue;
    options.icmp_errors = settings.kernel.icmp_rate != 0;
    options.rates.overall_per_second = std::max(1U, settings.kernel.icmp_rate);
    options.rates.overall_burst = settings.kernel.icmp_burst;
    options.to_kernel = {settings.kernel.port_rate, settings.kernel.port_burst};
    return options;
}

std::optional<std::string> service::open_engine() {
    const config& settings = plan_.settings;
    engine_options options;
    options.scheme = settings.scheme;
    options.plan = plan_.queues;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        options.devices.push_back(ports_[i].number());
        options.macs.push_back(ports_[i].mac());
        options.taps.push_back(taps_[i].number());
        options.tap_names.push_back(settings.ports[i].tap);
        options.tap_files.push_back(tap_file::find(settings.ports[i].tap));
    }
    options.vrfs = vrfs_of(settings);
    options.packets = &packets_.any();
    const thread_options threads = threads_of(settings, plan_.queues);
    options.burst = threads.burst;
    options.sleeps = threads.sleeps;
    options.neighbour_packets = threads.neighbour_packets;
    options.icmp_errors = threads.icmp_errors;
    options.rates = threads.rates;
    options.to_kernel = threads.to_kernel;
    options.time_one_in = settings.telemetry.time_one_in;
    options.sample_one_in = settings.telemetry.sample_one_in;
    auto created = engine::create(std::move(options));
    if (!created)
        return fmt::format("the tables cannot be created: {}", message(created.error()));
    engine_ = std::move(*created);
    std::vector<std::string> names;
    for (const port_config& port : settings.ports)
        names.push_back(port.name);
    watching_ = std::make_unique<watch_sessions>(*engine_, std::move(names));
    return std::nullopt;
}

std::optional<std::string> service::open_routes() {
    auto mirror = open_mirror(plan_.settings.routes.feed);
    if (!mirror)
        return mirror.error();
    mirror_ = std::move(*mirror);
    auto feeder = open_feeder(plan_.settings, *mirror_, false);
    if (!feeder)
        return feeder.error();
    feeder_ = std::move(*feeder);
    return std::nullopt;
}

expected<std::unique_ptr<kernel_mirror>, std::string> service::open_mirror(route_feed feed) {
    forwarding& tables = engine_->tables();
    mirror_options follow;
    follow.network_namespace = plan_.settings.kernel.network_namespace;
    follow.vrfs = tables.vrfs();
    auto mirror =
        kernel_mirror::open(*loop_, tables.links(), source_of(feed).is_kernel ? &tables : nullptr, follow);
    if (!mirror)
        return unexpected{mirror.error().reason};
    return std::move(*mirror);
}

expected<std::unique_ptr<route_feeder>, std::string>
service::open_feeder(const config& settings, const kernel_mirror& mirror, bool takes_over) {
    return source_of(settings.routes.feed)
        .open(settings.sources.of(settings.routes.feed),
              {*loop_, engine_->tables(), mirror,
               [this](std::string_view name) { return find_interface(name); },
               settings.kernel.network_namespace, settings.routes.path, engine_->tables().vrfs(),
               vrf_files_of(settings), takes_over});
}

std::optional<std::string> service::open_carriers() {
    std::vector<std::uint16_t> devices;
    for (const open_device& port : ports_)
        devices.push_back(port.number());
    carriers_ = std::make_unique<port_carriers>(devices);
    carriers_->on_change([this](std::size_t port, bool up) { follow_carrier(port, up); });
    if (!carriers_->needs_kernel())
        return std::nullopt;
    mirror_options links;
    links.links_only = true;
    links.receive_buffer = 1 << 20;
    auto opened = kernel_mirror::open(*loop_, *carriers_, nullptr, links);
    if (!opened)
        return opened.error().reason;
    port_links_ = std::move(*opened);
    return std::nullopt;
}

// Changes forwarding first, then the state that the kernel and daemons see.
void service::follow_carrier(std::size_t port, bool up) {
    system::log(system::log_level::warning, "port '{}' has {} link", plan_.settings.ports[port].name,
                up ? "a" : "no");
    interfaces& links = engine_->tables().links();
    links.set_port(static_cast<std::uint16_t>(port), up);
    links.commit();
    if (const auto failed = mirror_->set_carrier(taps_[port].kernel_interface(), up))
        system::log(system::log_level::warning, "the carrier of '{}' cannot be changed: {}",
                    plan_.settings.ports[port].tap, failed->reason);
}

void service::look_for_deaf_ports() {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        rte_eth_stats counted{};
        if (rte_eth_stats_get(ports_[i].number(), &counted) != 0)
            continue;
        const std::uint64_t lost = counted.imissed + counted.rx_nombuf + rings_[i].read();
        if (!deaf_.look(i, counted.ipackets, lost))
            continue;
        const std::string& name = plan_.settings.ports[i].name;
        if (deaf_.is_deaf(i))
            system::log(system::log_level::error,
                        "port '{}' receives nothing: {} packets were lost since the last received one", name,
                        deaf_.lost_since(i));
        else
            system::log(system::log_level::warning, "port '{}' receives again", name);
    }
}

bool service::is_synchronised() const noexcept {
    return mirror_->statistics().synchronised && (!port_links_ || port_links_->statistics().synchronised);
}

std::optional<std::string> service::keep_taps() {
    for (const tap_file& file : new_taps_)
        if (!file.keep(true))
            return "a TAP cannot be made persistent";
    return std::nullopt;
}

std::optional<std::string> service::drop_root() {
    const privileges_config& account_names = plan_.settings.privileges;
    if (account_names.user.empty())
        return std::nullopt;
    const auto account = system::find_account(account_names.user, account_names.group);
    if (!account)
        return account.error();
    return system::drop_privileges(*account);
}

std::optional<std::string> service::run() {
    std::vector<unsigned> lcores;
    for (unsigned i = 0; i < plan_.queues.threads.size(); ++i)
        lcores.push_back(i + 1);
    // Read links and addresses first, so that packets never meet an empty table.
    while (!is_synchronised())
        if (auto failed = loop_->run_once(std::chrono::milliseconds(100)))
            return failed->reason;
    carriers_->poll();
    if (!feeder_->load())
        return "the routes could not be read";
    if (!engine_->start(lcores))
        return "a thread could not be started";
    started_ = std::chrono::steady_clock::now();
    has_run_ = true;
    loop_->every(between_polls, [this] {
        engine_->poll();
        watching_->poll();
        count_samples();
        ask_for_neighbours();
    });
    loop_->every(between_looks_at_links, [this] { carriers_->poll(); });
    loop_->every(between_looks_at_losses, [this] { look_for_deaf_ports(); });
    loop_->every(between_confirmations, [this] { confirm_neighbours(); });
    if (const auto interval = system::notifier::watchdog_interval())
        loop_->every(*interval, [this] { (void)notify_.alive(); });
    (void)notify_.ready(fmt::format("forwarding on {} ports", ports_.size()));
    const auto failed = loop_->run();
    calls_->close();
    (void)notify_.stopping("ending");
    engine_->stop();
    if (failed)
        return failed->reason;
    return ended_by_;
}

std::optional<std::uint32_t> service::find_interface(std::string_view name) const {
    std::optional<std::uint32_t> index;
    engine_->tables().links().each_link([&](const link_state& link) {
        if (link.name == name)
            index = link.index;
    });
    return index;
}

void service::count_samples() {
    const auto prefix_of = [](const auto& routes, auto address, vrf_number vrf) {
        const auto match = routes.match(address);
        return sampled_prefix{decltype(address)::bits == 32,
                              match ? std::optional<any_prefix>(match->where) : std::nullopt, vrf};
    };
    engine_->take_samples([&](const packet_sample& sample) {
        const vrf_routes& routes = std::as_const(*engine_).tables().routes_of(sample.vrf);
        if (const auto* const ipv4 = std::get_if<ipv4_address>(&sample.to))
            prefixes_.add(prefix_of(routes.routes<ipv4_address>(), *ipv4, sample.vrf));
        else
            prefixes_.add(
                prefix_of(routes.routes<ipv6_address>(), std::get<ipv6_address>(sample.to), sample.vrf));
    });
    prefixes_.pass(prefix_hits::clock::now());
}

void service::ask_for_neighbours() {
    for (const neighbour_key& neighbour : engine_->requests().take())
        ask_kernel(neighbour);
}

void service::confirm_neighbours() {
    confirmations_ += engine_->tables().confirm_used(
        most_confirmations, [this](const neighbour_key& neighbour) { return ask_kernel(neighbour); });
}

bool service::ask_kernel(const neighbour_key& about) {
    const auto failed = mirror_->resolve(about.interface, about.address);
    if (failed)
        system::log(system::log_level::warning, "a neighbour cannot be resolved: {}", failed->reason);
    return !failed;
}

} // namespace fingerpost::router
