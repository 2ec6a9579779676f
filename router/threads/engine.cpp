// Makes rings, tables and threads by the plan, and runs them.
#include "router/threads/engine.hpp"

#include <utility>

#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "fingerpost/base/reason.hpp"

namespace fingerpost::router {
namespace {

// All rings of DPDK share one name space.
std::string next_ring_name() {
    static std::atomic<unsigned> made_so_far{0};
    return "fingerpost-" + std::to_string(made_so_far++);
}

int run_worker(void* one) {
    static_cast<worker*>(one)->run();
    return 0;
}
int run_host(void* one) {
    static_cast<host_thread*>(one)->run();
    return 0;
}

} // namespace

expected<std::unique_ptr<engine>> engine::create(engine_options options) noexcept try {
    std::unique_ptr<engine> made(new engine(std::move(options)));
    if (const errc built = made->build(); built != errc::ok)
        return unexpected{built};
    return made;
} catch (...) {
    return unexpected{reason_of_exception()};
}

engine::engine(engine_options options)
    : options_(std::move(options)), grace_(static_cast<unsigned>(options_.plan.threads.size())),
      counters_(options_.plan.threads.size()), stations_(options_.devices, options_.macs) {
    for (std::size_t i = 0; i < counters_.size(); ++i)
        counters_[i].watch = {&watch_, static_cast<std::uint8_t>(i)};
}

errc engine::build() {
    std::vector<rte_ring*> rings;
    for (const wired_ring& one : options_.plan.rings) {
        rings_.emplace_back(rte_ring_create(next_ring_name().c_str(), one.size, SOCKET_ID_ANY,
                                            RING_F_SP_ENQ | RING_F_SC_DEQ));
        if (!rings_.back())
            return errc::out_of_memory;
        rings.push_back(rings_.back().get());
        grace_.watch(rings.back());
    }
    forwarding_options routing;
    routing.scheme = options_.scheme;
    routing.ipv4_scheme = options_.ipv4_scheme;
    routing.ipv6_scheme = options_.ipv6_scheme;
    routing.taps = options_.tap_names;
    routing.vrfs = options_.vrfs;
    auto tables = forwarding::create(routing, grace_);
    if (!tables)
        return tables.error();
    tables_ = std::move(*tables);
    hits_before_.resize(tables_->view().hops->capacity());
    tables_->on_new_number(
        [this](std::uint32_t number) { hits_before_[number] = all_hits(next_hop{number}); });
    links_ = std::make_unique<published_links>(tables_->old());
    tables_->on_links_change([this] { publish_links(); });
    publish_links();

    const worker_context shared{
        tables_->view(), links_.get(),    &grace_,        options_.packets,     options_.devices,      &stop_,
        options_.burst,  options_.sleeps, options_.flows, options_.time_one_in, options_.sample_one_in};
    const std::size_t host = options_.plan.host();
    for (std::size_t i = 0; i < host; ++i) {
        auto made = worker::create(shared, options_.plan, i, rings, counters_[i]);
        if (!made)
            return made.error();
        workers_.push_back(std::move(*made));
    }
    auto made =
        host_thread::create({tables_->view(), links_.get(), &grace_, options_.packets, &requests_, &stop_,
                             options_.devices, options_.taps, options_.neighbour_packets, options_.rates,
                             options_.icmp_errors, std::move(options_.tap_files), options_.flows},
                            options_.plan, rings, counters_[host]);
    if (!made)
        return made.error();
    host_ = std::move(*made);
    return errc::ok;
}

engine::~engine() {
    stop();
    for (const auto& ring : rings_) {
        void* packet = nullptr;
        while (rte_ring_dequeue(ring.get(), &packet) == 0)
            rte_pktmbuf_free(static_cast<rte_mbuf*>(packet));
    }
}

void engine::publish_links() noexcept {
    // Without memory the threads keep their view; the next change brings a new one.
    (void)or_reason([&] {
        links_view now = view_of(tables_->links(), options_.macs, options_.flows);
        for (std::size_t i = 0; i < now.ports.size(); ++i) {
            std::vector<rte_ether_addr> others;
            for (const further_mac& one : now.ports[i].others)
                others.push_back(one.mac);
            stations_.follow(i, now.ports[i].mac, others);
        }
        links_->publish(std::move(now));
        return errc::ok;
    });
}

bool engine::start(std::span<const unsigned> lcores) noexcept {
    stop_.store(false);
    for (std::size_t i = 0; i < lcores.size(); ++i) {
        const bool is_host = i == options_.plan.host();
        void* const one = is_host ? static_cast<void*>(host_.get()) : static_cast<void*>(workers_[i].get());
        if (rte_eal_remote_launch(is_host ? run_host : run_worker, one, lcores[i]) != 0) {
            stop();
            return false;
        }
        lcores_.push_back(lcores[i]);
    }
    return true;
}

void engine::stop() noexcept {
    stop_.store(true);
    const std::vector<unsigned> ran = std::exchange(lcores_, {});
    for (const unsigned lcore : ran)
        rte_eal_wait_lcore(lcore);
    if (!ran.empty())
        drain();
}

void engine::drain() noexcept {
    // Each round moves packets one stage further, and no new ones come in.
    std::size_t moved = 1;
    while (moved != 0) {
        moved = 0;
        for (const auto& one : workers_)
            moved += one->drain();
        moved += host_->drain();
    }
}

std::uint64_t engine::all_hits(next_hop hop) const noexcept {
    std::uint64_t sum = 0;
    for (const thread_counters& one : counters_)
        sum += one.hops.of(hop);
    return sum;
}

std::uint64_t engine::hits(next_hop hop) const noexcept {
    return all_hits(hop) - (hop == next_hop::none ? 0 : hits_before_[hop.id]);
}

std::uint64_t engine::lost_samples() const noexcept {
    std::uint64_t sum = 0;
    for (const thread_counters& one : counters_)
        sum += one.samples.lost();
    return sum;
}

std::size_t engine::round() noexcept {
    std::size_t taken = 0;
    for (const auto& one : workers_)
        taken += one->round();
    return taken + host_->round();
}

} // namespace fingerpost::router
