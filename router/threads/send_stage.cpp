// Rewrites bursts, fragments packets that are too long, and passes frames to drivers.
#include "router/threads/send_stage.hpp"

#include <array>

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
    packet_list& list = lists_[port];
    const auto wanted = static_cast<std::uint16_t>(list.size());
    unsigned taken = 0;
    if (queues_[port]) {
        taken = transmit(port, list);
        counts_->sent.add(taken);
    } else {
        taken = hand_over(port, list);
    }
    if (taken < wanted)
        drop(list.all().subspan(taken),
             queues_[port] ? drop_reason::transmit_full : drop_reason::send_ring_full, *counts_, port);
    list.clear();
}

unsigned frame_sender::transmit(std::uint16_t port, packet_list& list) noexcept {
    const transmit_queue to = *queues_[port];
    const auto wanted = static_cast<std::uint16_t>(list.size());
    packet_trace* const trace = counts_->watch.trace();
    if (likely(trace == nullptr))
        return rte_eth_tx_burst(to.device, to.queue, list.data(), wanted);
    // The driver may free what it takes at once.
    std::array<trace_record*, most_in_burst> records;
    for (std::size_t i = 0; i < wanted; ++i) {
        records[i] = trace->record_of(*list[i]);
        if (records[i] != nullptr)
            records[i]->sent_bytes = static_cast<std::uint8_t>(copy_bytes(*list[i], records[i]->after));
    }
    const unsigned taken = rte_eth_tx_burst(to.device, to.queue, list.data(), wanted);
    for (std::size_t i = 0; i < taken; ++i)
        if (records[i] != nullptr)
            trace->finish(*records[i], counts_->watch.event(trace_step_kind::sent, 0, port));
    return taken;
}

unsigned frame_sender::hand_over(std::uint16_t port, packet_list& list) noexcept {
    if (rings_[port] == nullptr)
        return 0;
    for (rte_mbuf* const frame : list.all())
        note_ingress_port(*frame, port);
    return rte_ring_enqueue_burst(rings_[port], reinterpret_cast<void**>(list.data()),
                                  static_cast<unsigned>(list.size()), nullptr);
}

void send_stage::run(std::span<rte_mbuf* const> packets, std::span<const next_hop_entry* const> entries,
                     packet_list& host) noexcept {
    for (std::size_t i = 0; i < packets.size(); ++i) {
        if (unlikely(!rewrite(*packets[i], entries[i]->out))) {
            send_otherwise(packets[i], *entries[i], host);
            continue;
        }
        entries[i]->used.set();
        out_->add(entries[i]->port, packets[i]);
    }
}

// For a packet that cannot be sent as it is.
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
    const auto made = fragment(*packet, entry.out.mtu, parts, *fragments_);
    if (made) {
        counts_->made.add(*made - 1);
        for (unsigned i = 0; i < *made; ++i) {
            replace_link(*parts[i], entry.out.header);
            out_->add(entry.port, parts[i]);
        }
        entry.used.set();
        trace_event cut = counts_->watch.event(trace_step_kind::fragmented, 0, entry.port);
        cut.first = *made;
        counts_->watch.end(*packet, cut);
        rte_pktmbuf_free(packet);
    } else {
        drop(packet, made.error(), *counts_);
    }
}

void host_exit::give(packet_list& packets) noexcept {
    if (packets.empty())
        return;
    const auto wanted = static_cast<unsigned>(packets.size());
    const unsigned taken =
        rte_ring_enqueue_burst(to_, reinterpret_cast<void**>(packets.data()), wanted, nullptr);
    for (unsigned i = taken; i < wanted; ++i)
        drop(packets[i],
             cause_of(*packets[i]) == host_cause::unresolved ? drop_reason::host_ring_full
                                                             : reason_of(cause_of(*packets[i])),
             *counts_);
    packets.clear();
}

} // namespace fingerpost::router
