// Runs the stages of a data thread.
#include "router/threads/worker.hpp"

#include <algorithm>
#include <utility>

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "fingerpost/base/reason.hpp"
#include "router/packet/notes.hpp"
#include "router/threads/drop.hpp"
#include "router/threads/worker_rounds.hpp"

namespace fingerpost::router {
namespace {

// Enqueues waiting packets, and drops those for which the ring has no room.
void enqueue(rte_ring* into, packet_list& waiting, drop_reason when_full, thread_counters& counts) noexcept {
    if (waiting.empty())
        return;
    const auto count = static_cast<unsigned>(waiting.size());
    const unsigned enqueued =
        rte_ring_enqueue_burst(into, reinterpret_cast<void**>(waiting.data()), count, nullptr);
    if (enqueued < count)
        drop(waiting.span().subspan(enqueued), when_full, counts);
    waiting.clear();
}

// Packets written by another thread are not in this core's cache.
void fetch(std::span<rte_mbuf* const> packets) noexcept {
    for (const rte_mbuf* const packet : packets)
        rte_prefetch0(packet);
    for (const rte_mbuf* const packet : packets)
        rte_prefetch0(rte_pktmbuf_mtod(packet, const void*));
}

} // namespace

expected<std::unique_ptr<worker>> worker::create(const worker_context& on, const wiring& plan,
                                                 std::size_t number, std::span<rte_ring* const> rings,
                                                 thread_counters& counts) noexcept try {
    const wired_thread& role = plan.threads[number];
    std::unique_ptr<worker> created(
        new worker(on, role, static_cast<std::uint32_t>(number), rings, plan, counts));
    if (role.looks_up) {
        auto stage = lookup_stage::create(on.tables, on.flows, counts);
        if (!stage)
            return unexpected{stage.error()};
        created->looking_up_.emplace(std::move(*stage));
        counts.samples.draw_one_in(on.sample_one_in);
    }
    return created;
} catch (...) {
    return unexpected{reason_of_exception()};
}

worker::worker(const worker_context& on, const wired_thread& role, std::uint32_t number,
               std::span<rte_ring* const> rings, const wiring& plan, thread_counters& counts)
    : on_(on), counts_(&counts), clock_(counts.stages, on.time_one_in), number_(number), polls_(role.polls),
      out_(queues_of(role, on.devices), {}, counts, &clock_), sending_(out_, *on.fragments, counts),
      host_(role.to_host ? rings[*role.to_host] : nullptr, *on.limits, counts),
      bonds_(queues_of(role, on.devices)) {
    for (const std::size_t ring : role.inputs)
        inputs_.push_back({rings[ring], plan.rings[ring].use});
    if (role.from_host)
        inputs_.push_back({rings[*role.from_host], ring_use::from_host});
    for (const std::size_t ring : role.lookup_rings)
        lookups_.push_back({rings[ring], {}});
    for (const port_exit& exit : role.exits)
        exits_.push_back({exit.ring ? rings[*exit.ring] : nullptr, {}});
    sends_all_ = std::ranges::all_of(exits_, [](const exit_ring& exit) { return exit.ring == nullptr; });
}

void worker::run() noexcept {
    run_rounds(*on_.stop, *on_.grace, number_, *counts_, {on_.sleeps, 64, {0, 50'000}},
               [this] { return round(); });
}

std::size_t worker::round() noexcept {
    bonds_.tick();
    std::size_t count = 0;
    for (const receive_queue& queue : polls_)
        count += receive(queue);
    if (count != 0)
        flush();
    return count + drain();
}

std::size_t worker::drain() noexcept {
    std::size_t count = 0;
    for (const input& source : inputs_)
        count += take(source.ring, source.use);
    if (count != 0)
        flush();
    return count;
}

void worker::flush() noexcept {
    out_.flush();
    clock_.end_round();
}

std::size_t worker::receive(const receive_queue& from) noexcept {
    packet_list frames;
    const auto port = static_cast<std::uint16_t>(from.port);
    clock_.start();
    const std::uint16_t count = rte_eth_rx_burst(on_.devices[port], static_cast<std::uint16_t>(from.queue),
                                                 frames.data(), static_cast<std::uint16_t>(on_.burst));
    if (count == 0)
        return 0;
    clock_.lap(stage::receive, count);
    counts_->received.add(count);
    counts_->ports[port].received.add(count);
    for (rte_mbuf* const frame : std::span(frames.data(), count))
        note_ingress_port(*frame, port);
    sorted_burst sorted;
    inspect_burst(std::span(frames.data(), count), on_.links->get().ports[port], sorted);
    if (packet_trace* const trace = counts_->watch.trace(); unlikely(trace != nullptr))
        trace->receive(sorted, port, static_cast<std::uint16_t>(from.queue), counts_->watch.thread);
    for (std::size_t i = 0; i < sorted.drop_count; ++i)
        drop(sorted.dropped[i], sorted.reasons[i], *counts_);
    packet_list kernel;
    for (std::size_t i = 0; i < sorted.host_count; ++i) {
        note_cause(*sorted.host[i], host_cause::kernel);
        kernel.add(sorted.host[i]);
    }
    host_.give(kernel);
    clock_.lap(stage::check, count);
    const std::span<rte_mbuf* const> forward(sorted.forward.data(), sorted.forward_count);
    if (lookups_.empty())
        look_up(forward, sorted.headers);
    else
        hand_on(forward);
    clock_.end_burst();
    return count;
}

std::size_t worker::take(rte_ring* from, ring_use use) noexcept {
    packet_list packets;
    clock_.start();
    const unsigned count =
        rte_ring_dequeue_burst(from, reinterpret_cast<void**>(packets.data()), on_.burst, nullptr);
    const std::span<rte_mbuf* const> packets_taken(packets.data(), count);
    if (count == 0)
        return 0;
    fetch(packets_taken);
    clock_.lap(stage::take, count);
    if (use == ring_use::lookup) {
        burst_headers headers;
        read_headers(packets_taken, headers);
        look_up(packets_taken, headers);
    } else if (use == ring_use::send) {
        send_looked_up(packets_taken);
    } else {
        for (rte_mbuf* const frame : packets_taken)
            out_.add(ingress_port(*frame), frame);
    }
    clock_.end_burst();
    return count;
}

// Chooses the ring by flow hash, so that a flow always uses the same ring.
void worker::hand_on(std::span<rte_mbuf* const> packets) noexcept {
    for (rte_mbuf* const packet : packets) {
        std::size_t ring = 0;
        if (lookups_.size() > 1) {
            note_flow(*packet, on_.flows);
            ring = flow_hash(*packet) % lookups_.size();
        }
        lookups_[ring].waiting.add(packet);
    }
    for (exit_ring& lookup : lookups_)
        enqueue(lookup.ring, lookup.waiting, drop_reason::lookup_ring_full, *counts_);
    clock_.lap(stage::hand_over, packets.size());
}

void worker::look_up(std::span<rte_mbuf* const> packets, burst_headers& headers) noexcept {
    if (packets.empty())
        return;
    looked_up result;
    looking_up_->run(packets, headers, result);
    host_.give(result.host);
    clock_.lap(stage::look_up, packets.size());
    if (!sends_all_)
        return share_out(result);
    packet_list host;
    sending_.run(result.forward, headers, result.entries, host);
    host_.give(host);
    clock_.lap(stage::rewrite, result.forward.size());
}

// Distributes packets to the threads that send on their ports; this thread may be one of them.
void worker::share_out(looked_up& result) noexcept {
    packet_list own;
    std::array<const next_hop_entry*, most_in_burst> entries;
    for (std::size_t i = 0; i < result.forward.size(); ++i) {
        exit_ring& exit = exits_[result.entries[i]->port];
        if (exit.ring == nullptr) {
            entries[own.size()] = result.entries[i];
            own.add(result.forward[i]);
        } else {
            exit.waiting.add(result.forward[i]);
        }
    }
    for (exit_ring& exit : exits_)
        if (exit.ring != nullptr)
            enqueue(exit.ring, exit.waiting, drop_reason::send_ring_full, *counts_);
    clock_.lap(stage::hand_over, result.forward.size() - own.size());
    if (!own.empty())
        send(own.span(), entries);
}

// The next hop may have changed since the lookup, for example because its neighbour no longer answers.
void worker::send_looked_up(std::span<rte_mbuf* const> packets) noexcept {
    packet_list forward;
    packet_list host;
    std::array<const next_hop_entry*, most_in_burst> entries;
    for (rte_mbuf* const packet : packets) {
        const next_hop_entry& entry = (*on_.tables.hops)[next_hop_of(*packet)];
        if (entry.kind == hop_kind::forward && out_.owns(entry.port)) {
            entries[forward.size()] = &entry;
            forward.add(packet);
        } else {
            note_cause(*packet,
                       entry.kind == hop_kind::forward ? host_cause::unresolved : cause_of(entry.kind));
            host.add(packet);
        }
    }
    host_.give(host);
    if (!forward.empty())
        send(forward.span(), entries);
}

void worker::send(std::span<rte_mbuf* const> packets,
                  std::span<const next_hop_entry* const> entries) noexcept {
    packet_list host;
    sending_.run(packets, entries, host);
    host_.give(host);
    clock_.lap(stage::rewrite, packets.size());
}

} // namespace fingerpost::router
