// Builds the plan step by step: threads, their queues, rings between them, transmit queues, the host.
#include "router/config/wiring.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fingerpost::router {
namespace {

// Maximum number of neighbours that the host thread holds packets for.
constexpr std::size_t waiting_neighbours = 256;
// Buffers in each thread's cache of the DPDK pool, in addition to bursts: a cache of 256 buffers may grow to
// 1.5 times that.
constexpr std::size_t cached_buffers = 384;

// Buffers that DPDK's af_xdp driver gives the kernel for each receive queue, and buffers that the kernel
// returns for each transmit queue before the driver takes them back.
constexpr std::size_t xdp_ring = 2'048;

class planner {
  public:
    planner(const config& settings, std::span<const port_queues> ports)
        : settings_(settings), ports_(ports.begin(), ports.end()) {
        for (port_queues& port : ports_)
            port = {std::max(port.receive, 1U), std::max(port.transmit, 1U)};
    }

    wiring make() {
        add_threads();
        deal_receive_queues();
        connect_lookup();
        plan_.transmit_queues.resize(ports_.size());
        for (std::size_t port = 0; port < ports_.size(); ++port)
            open_port(port);
        connect_host();
        return std::move(plan_);
    }

  private:
    void add_stage(const char* name, unsigned count, wired_thread like, std::vector<std::size_t>& into) {
        for (unsigned i = 0; i < count; ++i) {
            like.name = fmt::format("{}{}", name, i);
            into.push_back(plan_.threads.size());
            plan_.threads.push_back(like);
        }
    }

    void add_threads() {
        const threads_config& threads = settings_.threads;
        switch (threads.mode) {
        case run_mode::pipeline:
            add_stage("receive", threads.receive, {.receives = true}, receivers_);
            add_stage("lookup", threads.lookup, {.looks_up = true}, searchers_);
            add_stage("send", threads.send, {.sends = true}, senders_);
            break;
        case run_mode::fused:
            add_stage("receive", threads.receive, {.receives = true}, receivers_);
            add_stage("fused", threads.lookup, {.looks_up = true, .sends = true}, searchers_);
            senders_ = searchers_;
            break;
        case run_mode::complete:
            add_stage("complete", threads.receive, {.receives = true, .looks_up = true, .sends = true},
                      receivers_);
            searchers_ = senders_ = receivers_;
            break;
        }
        host_ = plan_.threads.size();
        plan_.threads.push_back({.name = "host"});
        for (const std::size_t thread : searchers_)
            plan_.threads[thread].exits.resize(ports_.size());
        for (const std::size_t thread : senders_)
            plan_.threads[thread].exits.resize(ports_.size());
        plan_.threads[host_].exits.resize(ports_.size());
    }

    void deal_receive_queues() {
        std::size_t dealt = 0;
        for (std::size_t port = 0; port < ports_.size(); ++port)
            for (unsigned queue = 0; queue < ports_[port].receive; ++queue)
                plan_.threads[receivers_[dealt++ % receivers_.size()]].polls.push_back({port, queue});
    }

    std::size_t add_ring(ring_use use, std::size_t producer, std::size_t consumer, unsigned size) {
        plan_.rings.push_back({use, producer, consumer, size});
        return plan_.rings.size() - 1;
    }

    // The only ring for sending between two threads; added on first use.
    std::size_t ring_between(std::size_t producer, std::size_t consumer) {
        for (std::size_t i = 0; i < plan_.rings.size(); ++i) {
            const wired_ring& ring = plan_.rings[i];
            if (ring.use == ring_use::send && ring.producer == producer && ring.consumer == consumer)
                return i;
        }
        const std::size_t ring = add_ring(ring_use::send, producer, consumer, settings_.threads.ring);
        plan_.threads[consumer].inputs.push_back(ring);
        return ring;
    }

    bool are_partners(std::size_t receiver, std::size_t searcher) const {
        const std::size_t receive = receivers_.size();
        const std::size_t lookup = searchers_.size();
        if (lookup % receive == 0)
            return searcher % receive == receiver;
        if (receive % lookup == 0)
            return receiver % lookup == searcher;
        return true;
    }

    void connect_lookup() {
        if (searchers_ == receivers_)
            return;
        for (std::size_t r = 0; r < receivers_.size(); ++r)
            for (std::size_t s = 0; s < searchers_.size(); ++s)
                if (are_partners(r, s)) {
                    const std::size_t ring =
                        add_ring(ring_use::lookup, receivers_[r], searchers_[s], settings_.threads.ring);
                    plan_.threads[receivers_[r]].lookup_rings.push_back(ring);
                    plan_.threads[searchers_[s]].inputs.push_back(ring);
                }
    }

    void open_port(std::size_t port) {
        const std::size_t owner = senders_[port % senders_.size()];
        const unsigned offered = ports_[port].transmit;
        const bool shared = settings_.threads.mode != run_mode::pipeline && offered >= senders_.size();
        unsigned& used = plan_.transmit_queues[port];
        for (const std::size_t thread : senders_)
            if (shared || thread == owner)
                plan_.threads[thread].exits[port].queue = used++;
        for (const std::size_t thread : searchers_)
            if (port_exit& exit = plan_.threads[thread].exits[port]; !exit.queue)
                exit.ring = ring_between(thread, owner);
        if (used < offered)
            plan_.threads[host_].exits[port].queue = used++;
        else
            plan_.threads[host_].exits[port].ring = ring_from_host(owner);
    }

    std::size_t ring_from_host(std::size_t owner) {
        std::optional<std::size_t>& ring = plan_.threads[owner].from_host;
        if (!ring)
            ring = add_ring(ring_use::from_host, host_, owner, settings_.kernel.host_ring);
        return *ring;
    }

    void connect_host() {
        for (std::size_t thread = 0; thread < host_; ++thread) {
            const std::size_t ring = add_ring(ring_use::to_host, thread, host_, settings_.kernel.host_ring);
            plan_.threads[thread].to_host = ring;
            plan_.threads[host_].inputs.push_back(ring);
        }
    }

    const config& settings_;
    std::vector<port_queues> ports_;
    wiring plan_;
    std::vector<std::size_t> receivers_;
    std::vector<std::size_t> searchers_;
    std::vector<std::size_t> senders_;
    std::size_t host_ = 0;
};

// Number of threads that share the transmit queues of a port.
unsigned senders_of(const config& settings) {
    const threads_config& threads = settings.threads;
    return threads.mode == run_mode::pipeline ? 1
           : threads.mode == run_mode::fused  ? threads.lookup
                                              : threads.receive;
}

wiring plan_for(const config& settings, unsigned transmit) {
    std::vector<port_queues> ports;
    for (const port_config& port : settings.ports)
        ports.push_back({.receive = port.queues, .transmit = transmit});
    return planner(settings, ports).make();
}

} // namespace

wiring plan_wiring(const config& settings, std::span<const port_queues> ports) {
    return planner(settings, ports).make();
}

wiring plan_wiring(const config& settings) {
    return plan_for(settings, senders_of(settings) + 1);
}

std::vector<wiring> possible_wirings(const config& settings) {
    std::vector<wiring> plans;
    for (unsigned transmit = 1; transmit <= senders_of(settings) + 1; ++transmit)
        plans.push_back(plan_for(settings, transmit));
    return plans;
}

std::size_t buffers_at_start(const config& settings) {
    std::size_t buffers = settings.ports.size() * tap_descriptors;
    for (const port_config& port : settings.ports)
        if (takes_by_af_xdp(port))
            buffers += xdp_ring * port.queues;
    return buffers;
}

std::size_t buffers_needed(const config& settings, const wiring& plan) {
    std::size_t buffers = waiting_neighbours * settings.kernel.neighbour_queue + buffers_at_start(settings);
    for (std::size_t port = 0; port < settings.ports.size(); ++port) {
        const port_config& entry = settings.ports[port];
        const std::size_t transmit = plan.transmit_queues[port];
        buffers += entry.descriptors * transmit;
        // A received packet replaces a buffer that waited for it. A sent one moves to another ring.
        buffers +=
            takes_by_af_xdp(entry) ? xdp_ring * transmit : std::size_t{entry.descriptors} * entry.queues;
    }
    for (const wired_ring& ring : plan.rings)
        buffers += ring.size;
    // A thread holds the burst that it works on, and a partly filled one for each exit.
    for (const wired_thread& thread : plan.threads)
        buffers += cached_buffers +
                   settings.threads.burst * (1 + thread.exits.size() + thread.lookup_rings.size() + 1);
    return buffers;
}

} // namespace fingerpost::router
