// Sets up a data plane for the benchmark, and runs it on separate cores.
#include "router/bench/routed.hpp"

#include <fmt/format.h>
#include <numeric>

#include <rte_launch.h>
#include <rte_lcore.h>

#include "fingerpost/fib/make_entry.hpp"

namespace fingerpost::bench {
namespace {

using namespace router;

class engine_competitor final : public routed {
  public:
    engine_competitor(std::unique_ptr<engine> data_plane, const arrangement& how, unsigned host_lcore,
                      bool is_ipv4)
        : engine_(std::move(data_plane)), in_turn_(how.in_turn), is_ipv4_(is_ipv4) {
        lcores_.resize(engine_->plan().threads.size());
        std::iota(lcores_.begin(), lcores_.end(), 1U);
        lcores_.back() = host_lcore;
    }

    bool start() noexcept override {
        if (!in_turn_)
            return engine_->start(lcores_);
        stop_.store(false);
        return rte_eal_remote_launch(run_in_turn, this, 1) == 0;
    }
    void stop() noexcept override {
        if (in_turn_) {
            stop_.store(true);
            rte_eal_wait_lcore(1);
            engine_->drain();
        } else {
            engine_->stop();
        }
    }
    std::size_t memory_bytes() const noexcept override {
        return is_ipv4_ ? engine_->tables().routes<ipv4_address>().memory().fib
                        : engine_->tables().routes<ipv6_address>().memory().fib;
    }
    forwarding& tables() noexcept override { return engine_->tables(); }

  private:
    static int run_in_turn(void* self) {
        auto& competitor = *static_cast<engine_competitor*>(self);
        while (!competitor.stop_.load(std::memory_order_relaxed))
            competitor.engine_->round();
        return 0;
    }

    std::unique_ptr<engine> engine_;
    std::vector<unsigned> lcores_;
    std::atomic<bool> stop_{false};
    bool in_turn_;
    bool is_ipv4_;
};

engine_options options_for(circuit& on, const arrangement& how, unsigned burst) {
    config settings;
    settings.threads.mode = how.mode;
    // Each ring has room for all packets: those that wait there circulate later, and none is lost.
    settings.threads.ring = 2 * circuit_packets;
    settings.ports.resize(on.devices().size());
    const std::vector<port_queues> queues(on.devices().size(), {1, 1});
    engine_options options;
    options.plan = plan_wiring(settings, queues);
    options.devices.assign(on.devices().begin(), on.devices().end());
    options.macs.assign(on.devices().size(), port_mac);
    options.tap_names = {"bench0", "bench1"};
    options.packets = &on.pool();
    options.burst = burst;
    options.icmp_errors = false;
    options.flows = flow_key(1);
    return options;
}

mac_address bytes_of(const rte_ether_addr& mac) {
    mac_address bytes;
    std::copy_n(mac.addr_bytes, bytes.size(), bytes.begin());
    return bytes;
}

template <class A>
void add_neighbours(interfaces& links, std::uint32_t gateways) {
    for (const std::uint32_t port : {0U, 1U}) {
        links.set_link({10 + port, fmt::format("bench{}", port), bytes_of(port_mac), 1500, true, 0, 0});
        const A own = {gateway_address(port, A{}).value - 1};
        links.set_address({10 + port, own, A::bits == 32 ? std::uint8_t{16} : std::uint8_t{64}, {}, true});
    }
    for (std::uint32_t i = 0; i < gateways; ++i)
        links.set_neighbour(
            {10 + (i & 1), gateway_address(i, A{}), bytes_of(gateway_mac(i)), neighbour_state::resolved});
    links.commit();
}

template <class A>
class fixed {
  public:
    static expected<fixed> build(const routes<A>& table, const build_options&) {
        fixed fib;
        if (!table.sorted().empty())
            fib.hop_ = table.sorted().front().hop;
        return fib;
    }
    next_hop lookup(A) const noexcept { return hop_; }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::fill_n(out.begin(), in.size(), hop_);
    }
    std::size_t memory_bytes() const noexcept { return sizeof hop_; }

  private:
    next_hop hop_ = next_hop::none;
};

} // namespace

template <class A>
const scheme_entry<A>& fixed_scheme() noexcept {
    static constexpr scheme_facts facts{
        .name = "fixed", .summary = "one next hop for every address", .source = "the benchmark"};
    static constexpr scheme_entry<A> entry = make_entry<A, fixed<A>>(facts);
    return entry;
}

template <class A>
expected<std::unique_ptr<routed>, std::string>
make_routed(circuit& on, std::span<const route<A>> routes, std::uint32_t gateways, const arrangement& how,
            const scheme_of_router<A>& scheme, unsigned burst, unsigned host_lcore) {
    engine_options options = options_for(on, how, burst);
    options.scheme = scheme.name;
    if constexpr (A::bits == 32)
        options.ipv4_scheme = scheme.entry;
    else
        options.ipv6_scheme = scheme.entry;
    auto created = engine::create(std::move(options));
    if (!created)
        return unexpected{std::string(message(created.error()))};
    forwarding& tables = (*created)->tables();
    add_neighbours<A>(tables.links(), gateways);
    for (const route<A>& entry : routes)
        tables.announce(entry.where, way_to<A>(entry.hop.id));
    tables.commit();
    const route_counts& counts = A::bits == 32 ? tables.ipv4_counts() : tables.ipv6_counts();
    if (counts.refused != 0 || counts.failed_commits != 0)
        return unexpected{fmt::format("{} of {} routes do not fit", counts.refused, routes.size())};
    return std::unique_ptr<routed>(
        std::make_unique<engine_competitor>(std::move(*created), how, host_lcore, A::bits == 32));
}

template const scheme_entry<ipv4_address>& fixed_scheme() noexcept;
template const scheme_entry<ipv6_address>& fixed_scheme() noexcept;
template expected<std::unique_ptr<routed>, std::string>
make_routed(circuit&, std::span<const route<ipv4_address>>, std::uint32_t, const arrangement&,
            const scheme_of_router<ipv4_address>&, unsigned, unsigned);
template expected<std::unique_ptr<routed>, std::string>
make_routed(circuit&, std::span<const route<ipv6_address>>, std::uint32_t, const arrangement&,
            const scheme_of_router<ipv6_address>&, unsigned, unsigned);

} // namespace fingerpost::bench
