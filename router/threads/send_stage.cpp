// Rewrites bursts, fragments packets that are too long, and passes frames to drivers.
#include "router/threads/send_stage.hpp"

#include <array>

#include <rte_branch_prediction.h>
#include <rte_ethdev.h>

#include "router/packet/fragment.hpp"
#include "router/packet/notes.hpp"
#include "router/packet/rewrite.hpp"
#include "router/threads/drop.hpp"
#include "router/watch/frame_bytes.hpp"

namespace fingerpost::router {

std::vector<std::optional<transmit_queue>> queues_of(const wired_thread& role,
                                                     std::span<const std::uint16_t> devices) {
    std::vector<std::optional<transmit_queue>> queues(role.exits.size());
    for (std::size_t port = 0; port < role.exits.size(); ++port)
        if (const auto queue = role.exits[port].queue)
            queues[port] = {devices[port], static_cast<std::uint16_t>(*queue)};
    return queues;
}

void frame_sender::flush(std::uint16_t port) noexcept {
    if (unlikely(clock_ != nullptr && clock_->times_transmit()))
        flush_timed(port);
    else
        send_off(port);
}

void frame_sender::flush_timed(std::uint16_t port) noexcept {
    const std::size_t frames = lists_[port].count;
    const std::uint64_t began = clock_->begin_transmit();
    send_off(port);
    clock_->end_transmit(began, frames);
}

void frame_sender::send_off(std::uint16_t port) noexcept {
    frame_list& list = lists_[port];
    const auto count = static_cast<std::uint16_t>(list.count);
    unsigned sent = 0;
    if (queues_[port]) {
        sent = transmit(port, list);
        counts_->sent.add(sent);
        counts_->ports[port].sent.add(sent);
    } else {
        sent = hand_over(port, list);
    }
    if (sent < count) {
        drop(std::span(list.frames).subspan(sent, count - sent),
             queues_[port] ? drop_reason::transmit_full : drop_reason::send_ring_full, *counts_, port);
        if (queues_[port])
            counts_->ports[port].not_sent.add(count - sent);
    }
    list.count = 0;
}

unsigned frame_sender::transmit(std::uint16_t port, frame_list& list) noexcept {
    const transmit_queue to = *queues_[port];
    const auto count = static_cast<std::uint16_t>(list.count);
    packet_trace* const trace = counts_->watch.trace();
    if (likely(trace == nullptr))
        return rte_eth_tx_burst(to.device, to.queue, list.frames.data(), count);
    // The driver may free accepted frames immediately, so copy them first.
    std::array<trace_record*, most_in_burst> records;
    for (std::size_t i = 0; i < count; ++i) {
        records[i] = trace->record_of(*list.frames[i]);
        if (records[i] != nullptr)
            records[i]->sent_bytes =
                static_cast<std::uint8_t>(copy_bytes(*list.frames[i], records[i]->after));
    }
    const unsigned sent = rte_eth_tx_burst(to.device, to.queue, list.frames.data(), count);
    for (std::size_t i = 0; i < sent; ++i)
        if (records[i] != nullptr)
            trace->finish(*records[i], counts_->watch.event(trace_step_kind::sent, 0, port));
    return sent;
}

unsigned frame_sender::hand_over(std::uint16_t port, frame_list& list) noexcept {
    if (rings_[port] == nullptr)
        return 0;
    for (rte_mbuf* const frame : std::span(list.frames).first(list.count))
        note_ingress_port(*frame, port);
    return rte_ring_enqueue_burst(rings_[port], reinterpret_cast<void**>(list.frames.data()),
                                  static_cast<unsigned>(list.count), nullptr);
}

void send_stage::run(std::span<rte_mbuf* const> packets, std::span<const next_hop_entry* const> entries,
                     packet_list& host) noexcept {
    for (std::size_t i = 0; i < packets.size(); ++i)
        send_one(packets[i], *entries[i], host);
}

void send_stage::run(std::span<rte_mbuf* const> packets, const burst_headers& headers,
                     std::span<const next_hop_entry* const> entries, packet_list& host) noexcept {
    if (likely(headers.plain && headers.are_all_ipv6()))
        run_plain<false>(packets, headers, entries, host);
    else if (headers.plain && headers.are_all_ipv4(packets.size()))
        run_plain<true>(packets, headers, entries, host);
    else
        run(packets, entries, host);
}

// Equivalent to rewrite() for each packet, given that no packet is tagged and all have a hop left.
template <bool Ipv4>
void send_stage::run_plain(std::span<rte_mbuf* const> packets, const burst_headers& headers,
                           std::span<const next_hop_entry* const> entries, packet_list& host) noexcept {
    frame_sender& out = *out_;
    const std::uint32_t longest = headers.longest;
    out.make_room();
    for (std::size_t i = 0; i < packets.size(); ++i) {
        const next_hop_entry& entry = *entries[i];
        if (unlikely(entry.out.mtu < longest || entry.out.header.length() != untagged_length)) {
            send_one(packets[i], entry, host);
            out.make_room(); // fragments may have used it
            continue;
        }
        std::uint8_t* const ip = headers.ip[i];
        entry.out.header.write_macs(ip - untagged_length);
        detail::count_hop(ip, Ipv4);
        entry.used.set();
        out.add_to_room(entry.port, packets[i]);
    }
}

void send_stage::send_one(rte_mbuf* packet, const next_hop_entry& entry, packet_list& host) noexcept {
    if (unlikely(!rewrite(*packet, entry.out)))
        return send_otherwise(packet, entry, host);
    entry.used.set();
    out_->add(entry.port, packet);
}

// Handles a packet that cannot be sent as it is.
void send_stage::send_otherwise(rte_mbuf* packet, const next_hop_entry& entry, packet_list& host) noexcept {
    if (may_hop(*packet) && may_fragment(*packet)) {
        send_fragments(packet, entry);
        return;
    }
    note_cause(*packet, may_hop(*packet) ? host_cause::too_big : host_cause::ttl_expired);
    host.add(packet);
}

void send_stage::send_fragments(rte_mbuf* packet, const next_hop_entry& entry) noexcept {
    count_hop(*packet);
    std::array<rte_mbuf*, most_fragments> parts;
    const auto count = fragment(*packet, entry.out.mtu, parts, *fragments_);
    if (count) {
        counts_->generated.add(*count - 1);
        for (unsigned i = 0; i < *count; ++i) {
            replace_link(*parts[i], entry.out.header);
            out_->add(entry.port, parts[i]);
        }
        entry.used.set();
        trace_event cut = counts_->watch.event(trace_step_kind::fragmented, 0, entry.port);
        cut.first = *count;
        counts_->watch.end(*packet, cut);
        rte_pktmbuf_free(packet);
    } else {
        drop(packet, count.error(), *counts_);
    }
}

void host_exit::police(packet_list& packets) noexcept {
    const std::uint64_t now = rte_rdtsc();
    std::size_t allowed = 0;
    for (rte_mbuf* const packet : packets.span())
        if (cause_of(*packet) != host_cause::kernel || limits_->take(ingress_port(*packet), now))
            packets.data()[allowed++] = packet;
        else
            drop(packet, drop_reason::over_kernel_rate, *counts_);
    packets.set_size(allowed);
}

void host_exit::give(packet_list& packets) noexcept {
    if (packets.empty())
        return;
    police(packets);
    const auto count = static_cast<unsigned>(packets.size());
    const unsigned enqueued =
        rte_ring_enqueue_burst(to_, reinterpret_cast<void**>(packets.data()), count, nullptr);
    for (unsigned i = enqueued; i < count; ++i)
        drop(packets[i],
             cause_of(*packets[i]) == host_cause::unresolved ? drop_reason::host_ring_full
                                                             : reason_of(cause_of(*packets[i])),
             *counts_);
    packets.clear();
}

} // namespace fingerpost::router
