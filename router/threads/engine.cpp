// Builds rings, tables and threads as planned, and runs them.
#include "router/threads/engine.hpp"

#include <algorithm>
#include <utility>

#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "fingerpost/base/reason.hpp"
#include "router/threads/pinning.hpp"

namespace fingerpost::router {
namespace {

// All DPDK rings share one name space.
std::string next_ring_name() {
    static std::atomic<unsigned> count{0};
    return "fingerpost-" + std::to_string(count++);
}

} // namespace

expected<std::unique_ptr<engine>> engine::create(engine_options options) noexcept try {
    std::unique_ptr<engine> created(new engine(std::move(options)));
    if (const errc built = created->build(); built != errc::ok)
        return unexpected{built};
    return created;
} catch (...) {
    return unexpected{reason_of_exception()};
}

engine::engine(engine_options options)
    : options_(std::move(options)), grace_(static_cast<unsigned>(options_.plan.threads.size())),
      stations_(options_.devices, options_.macs) {}

errc engine::build() {
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
    return make_crew(now_, grace_);
}

// Builds the threads for `options_`. `grace` watches the new rings; the threads will use `grace_`.
errc engine::make_crew(crew& into, quiescence& grace) {
    into.counters = std::vector<thread_counters>(options_.plan.threads.size());
    for (std::size_t i = 0; i < into.counters.size(); ++i)
        into.counters[i].watch = {&watch_, static_cast<std::uint8_t>(i)};
    std::vector<rte_ring*> rings;
    for (const wired_ring& wired : options_.plan.rings) {
        into.rings.emplace_back(rte_ring_create(next_ring_name().c_str(), wired.size, SOCKET_ID_ANY,
                                                RING_F_SP_ENQ | RING_F_SC_DEQ));
        if (!into.rings.back())
            return errc::out_of_memory;
        rings.push_back(into.rings.back().get());
        grace.watch(rings.back());
    }
    into.limits = std::make_unique<kernel_limits>(options_.to_kernel);
    const worker_context shared{tables_->view(),      links_.get(),           &grace_,
                                options_.packets,     options_.devices,       &stop_,
                                options_.burst,       options_.sleeps,        options_.flows,
                                options_.time_one_in, options_.sample_one_in, into.limits.get()};
    const std::size_t host = options_.plan.host();
    for (std::size_t i = 0; i < host; ++i) {
        auto data_thread = worker::create(shared, options_.plan, i, rings, into.counters[i]);
        if (!data_thread)
            return data_thread.error();
        into.workers.push_back(std::move(*data_thread));
    }
    auto created =
        host_thread::create({tables_->view(), links_.get(), &grace_, options_.packets, &requests_, &stop_,
                             options_.devices, options_.taps, options_.neighbour_packets, options_.rates,
                             options_.icmp_errors, std::move(options_.tap_files), options_.flows},
                            options_.plan, rings, into.counters[host]);
    if (!created)
        return created.error();
    into.host = std::move(*created);
    return errc::ok;
}

engine::~engine() {
    stop();
}

engine::crew::~crew() {
    for (const auto& ring : rings) {
        void* packet = nullptr;
        while (rte_ring_dequeue(ring.get(), &packet) == 0)
            rte_pktmbuf_free(static_cast<rte_mbuf*>(packet));
    }
}

void engine::publish_links() noexcept {
    // If there is no memory, the threads keep their view, and the next change publishes a new one.
    (void)or_reason([&] {
        links_view view = view_of(tables_->links(), options_.macs, options_.flows);
        for (std::size_t i = 0; i < view.ports.size(); ++i) {
            std::vector<rte_ether_addr> others;
            for (const further_mac& mac : view.ports[i].others)
                others.push_back(mac.mac);
            stations_.follow(i, view.ports[i].mac, others);
        }
        links_->publish(std::move(view));
        return errc::ok;
    });
}

bool engine::start(std::span<const unsigned> lcores) noexcept {
    return or_reason([&] {
               lcores_.assign(lcores.begin(), lcores.end());
               return errc::ok;
           }) == errc::ok &&
           launch({});
}

int engine::run_seat(void* argument) {
    const seat& at = *static_cast<const seat*>(argument);
    if (at.core)
        run_on_core(*at.core);
    if (at.data != nullptr)
        at.data->run();
    else
        at.host->run();
    return 0;
}

// Without cores, each thread runs where DPDK has pinned its lcore.
bool engine::launch(std::span<const unsigned> cores) noexcept {
    stop_.store(false);
    const errc done = or_reason([&] {
        for (const auto& data_thread : now_.workers)
            seats_.push_back({data_thread.get(), nullptr, {}});
        seats_.push_back({nullptr, now_.host.get(), {}});
        for (std::size_t i = 0; i < cores.size(); ++i)
            seats_[i].core = cores[i];
        for (std::size_t i = 0; i < seats_.size(); ++i) {
            if (i >= lcores_.size())
                more_threads_.emplace_back([at = &seats_[i]] {
                    (void)rte_thread_register();
                    run_seat(at);
                    rte_thread_unregister();
                });
            else if (rte_eal_remote_launch(run_seat, &seats_[i], lcores_[i]) != 0)
                return errc::invalid;
        }
        return errc::ok;
    });
    if (done != errc::ok)
        stop();
    return done == errc::ok;
}

void engine::stop() noexcept {
    stop_.store(true);
    if (seats_.empty())
        return;
    for (std::size_t i = 0; i < std::min(seats_.size(), lcores_.size()); ++i) {
        // DPDK would only spin, which delays other threads on the same core.
        while (rte_eal_get_lcore_state(lcores_[i]) == RUNNING)
            std::this_thread::sleep_for(std::chrono::microseconds(10));
        rte_eal_wait_lcore(lcores_[i]);
    }
    for (std::thread& thread : more_threads_)
        thread.join();
    more_threads_.clear();
    seats_.clear();
    drain();
}

// Everything that can fail for lack of memory happens before the old threads end.
errc engine::exchange_threads(thread_options options, std::span<const unsigned> cores) noexcept {
    const auto swap_options = [this](thread_options& with) {
        std::swap(options_.plan, with.plan);
        std::swap(options_.burst, with.burst);
        std::swap(options_.sleeps, with.sleeps);
        std::swap(options_.neighbour_packets, with.neighbour_packets);
        std::swap(options_.rates, with.rates);
        std::swap(options_.icmp_errors, with.icmp_errors);
        std::swap(options_.to_kernel, with.to_kernel);
    };
    crew next;
    std::optional<quiescence> grace;
    swap_options(options);
    const errc status = or_reason([&] {
        grace.emplace(static_cast<unsigned>(options_.plan.threads.size()));
        return make_crew(next, *grace);
    });
    if (status != errc::ok) {
        swap_options(options);
        return status;
    }
    const auto start = std::chrono::steady_clock::now();
    stop();
    keep_counts();
    grace_.take_over(*grace);
    next.host->take_over(*now_.host);
    std::swap(now_, next);
    const bool launched = launch(cores);
    pause_ = std::chrono::steady_clock::now() - start;
    return launched ? errc::ok : errc::capacity;
}

// Keeps the totals of the threads that have ended, before their counters are freed.
void engine::keep_counts() noexcept {
    for (const thread_counters& counts : now_.counters) {
        former_.add_packets(counts);
        former_lost_samples_ += counts.samples.lost();
    }
    former_unrouted_ += all_hits(next_hop::none);
    // New threads count from 0. The difference may be negative, which unsigned arithmetic handles.
    for (std::uint32_t number = 0; number < hits_before_.size(); ++number)
        hits_before_[number] -= all_hits(next_hop{number});
}

void engine::drain() noexcept {
    // Each pass moves packets one stage further, and no new packets arrive.
    std::size_t moved = 1;
    while (moved != 0) {
        moved = 0;
        for (const auto& data_thread : now_.workers)
            moved += data_thread->drain();
        moved += now_.host->drain();
    }
}

std::uint64_t engine::all_hits(next_hop hop) const noexcept {
    std::uint64_t sum = 0;
    for (const thread_counters& counts : now_.counters)
        sum += counts.hops.of(hop);
    return sum;
}

std::uint64_t engine::hits(next_hop hop) const noexcept {
    return hop == next_hop::none ? all_hits(hop) + former_unrouted_ : all_hits(hop) - hits_before_[hop.id];
}

std::uint64_t engine::lost_samples() const noexcept {
    std::uint64_t sum = former_lost_samples_;
    for (const thread_counters& counts : now_.counters)
        sum += counts.samples.lost();
    return sum;
}

std::size_t engine::round() noexcept {
    std::size_t count = 0;
    for (const auto& data_thread : now_.workers)
        count += data_thread->round();
    return count + now_.host->round();
}

} // namespace fingerpost::router
