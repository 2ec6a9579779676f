// Selects packets and begins their records.
#include "router/watch/packet_trace.hpp"

#include <rte_cycles.h>

#include "router/packet/notes.hpp"
#include "router/watch/frame_bytes.hpp"

namespace fingerpost::router {

std::optional<trace_mark> trace_mark::reserve() noexcept {
    rte_mbuf_dynflag flag{};
    rte_mbuf_dynfield field{};
    rte_strscpy(flag.name, "fingerpost_trace", sizeof flag.name);
    rte_strscpy(field.name, "fingerpost_trace_record", sizeof field.name);
    field.size = sizeof(std::uint32_t);
    field.align = alignof(std::uint32_t);
    const int bit = rte_mbuf_dynflag_register(&flag);
    const int offset = rte_mbuf_dynfield_register(&field);
    if (bit < 0 || offset < 0)
        return std::nullopt;
    return trace_mark{std::uint64_t{1} << bit, offset};
}

bool packet_trace::matches(const rte_mbuf& frame) const noexcept {
    if (!filter_.to)
        return true;
    const auto to = destination_of(frame);
    if (!to || to->index() != filter_.to->index())
        return false;
    if (const auto* const ipv4 = std::get_if<ipv4_prefix>(&*filter_.to))
        return ipv4->contains(std::get<ipv4_address>(*to));
    return std::get<ipv6_prefix>(*filter_.to).contains(std::get<ipv6_address>(*to));
}

void packet_trace::receive(const sorted_burst& burst, std::uint16_t port, std::uint16_t queue,
                           std::uint8_t thread) noexcept {
    trace_event checked{rte_rdtsc(), trace_step_kind::checked, thread, 0, port};
    const auto begin_all = [&](std::span<rte_mbuf* const> frames, verdict what, auto reason_of) {
        checked.detail = static_cast<std::uint8_t>(what);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            frames[i]->ol_flags &= ~mark_.flag;
            checked.first = reason_of(i);
            begin(*frames[i], checked, queue);
        }
    };
    const auto no_reason = [](std::size_t) { return next_hop::none.id; };
    begin_all({burst.forward.data(), burst.forward_count}, verdict::forward_ipv4, no_reason);
    begin_all({burst.host.data(), burst.host_count}, verdict::host, no_reason);
    begin_all({burst.dropped.data(), burst.drop_count}, verdict::drop,
              [&](std::size_t i) { return static_cast<std::uint32_t>(index_of(burst.reasons[i])); });
}

void packet_trace::begin(rte_mbuf& frame, const trace_event& checked, std::uint16_t queue) noexcept {
    if ((filter_.port && *filter_.port != checked.port) ||
        begun_.load(std::memory_order_relaxed) >= filter_.count || !matches(frame) ||
        matches_.fetch_add(1, std::memory_order_relaxed) % filter_.every != 0)
        return;
    const auto slot = records_.claim();
    if (!slot) {
        missed_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const std::uint64_t number = begun_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (number > filter_.count) {
        records_.free(*slot);
        return;
    }
    trace_record& record = records_[*slot];
    const bool forwards = static_cast<verdict>(checked.detail) == verdict::forward_ipv4;
    record.number = number;
    record.length = frame.pkt_len;
    record.flow = forwards ? flow_hash(frame) : 0;
    record.port = checked.port;
    record.queue = queue;
    record.tag_was_removed = (frame.ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0;
    record.vlan = record.tag_was_removed || forwards ? vlan_of(frame) & 0x0fff : 0;
    record.slot = *slot;
    record.sent_bytes = record.events = 0;
    record.head_bytes = static_cast<std::uint8_t>(copy_bytes(frame, record.head));
    record.add(checked);
    frame.ol_flags |= mark_.flag;
    *RTE_MBUF_DYNFIELD(&frame, mark_.field, std::uint32_t*) = std::uint32_t{generation_} << 16 | *slot;
}

} // namespace fingerpost::router
