// Collects the addresses of a burst, looks them up, and follows groups and neighbours to the last next hop.
#include "router/threads/lookup_stage.hpp"

#include <utility>

#include <rte_branch_prediction.h>
#include <rte_prefetch.h>

#include "router/packet/notes.hpp"
#include "router/threads/drop.hpp"

namespace fingerpost::router {
namespace {

ipv4_address destination4(const rte_mbuf& packet) noexcept {
    return ipv4_from(ipv4_header(packet).dst_addr);
}
ipv6_address destination6(const rte_mbuf& packet) noexcept {
    return ipv6_from(ipv6_header(packet).dst_addr);
}
std::uint64_t first_half6(const rte_mbuf& packet) noexcept {
    return half_from(ipv6_header(packet).dst_addr);
}
std::uint64_t low_half6(const rte_mbuf& packet) noexcept {
    return half_from(ipv6_header(packet).dst_addr + 8);
}

} // namespace

expected<lookup_stage> lookup_stage::create(const forwarding_view& tables, thread_counters& counts) noexcept {
    auto ipv4 = tables.ipv4->reader();
    if (!ipv4)
        return unexpected{ipv4.error()};
    auto ipv6 = tables.ipv6->reader();
    if (!ipv6)
        return unexpected{ipv6.error()};
    return lookup_stage(tables, counts, std::move(*ipv4), std::move(*ipv6));
}

void lookup_stage::look_up(const family_batch<ipv4_address>& some, std::span<rte_mbuf* const>,
                           std::span<next_hop> out) noexcept {
    ipv4_.pin().lookup(std::span(some.keys.data(), some.size), out);
}
// By first halves; second halves are collected only while the table has routes longer than /64.
void lookup_stage::look_up(const family_batch<std::uint64_t>& some, std::span<rte_mbuf* const> burst,
                           std::span<next_hop> out) noexcept {
    const std::span first(some.keys.data(), some.size);
    const snapshot<ipv6_address> now = ipv6_.pin();
    if (likely(now.lookup_first64(first, out) == errc::ok))
        return;
    std::array<std::uint64_t, most_in_burst> low;
    for (std::size_t i = 0; i < some.size; ++i)
        low[i] = low_half6(*burst[some.positions[i]]);
    now.lookup_halves(first, std::span(low).first(some.size), out);
}

template <class Key>
void lookup_stage::find(family_batch<Key>& some, std::span<rte_mbuf* const> burst) noexcept {
    if (some.size == 0)
        return;
    if (some.size == burst.size()) // then a packet's position is its place
        return look_up(some, burst, hops_);
    look_up(some, burst, some.hops);
    for (std::size_t i = 0; i < some.size; ++i)
        hops_[some.positions[i]] = some.hops[i];
}

void lookup_stage::gather(std::span<rte_mbuf* const> burst) noexcept {
    std::size_t of_ipv4 = 0, of_ipv6 = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        const rte_mbuf& packet = *burst[i];
        if (is_ipv4(packet)) {
            batch4_.keys[of_ipv4] = destination4(packet);
            batch4_.positions[of_ipv4++] = static_cast<std::uint8_t>(i);
        } else {
            batch6_.keys[of_ipv6] = first_half6(packet);
            batch6_.positions[of_ipv6++] = static_cast<std::uint8_t>(i);
        }
    }
    batch4_.size = of_ipv4;
    batch6_.size = of_ipv6;
}

void lookup_stage::run(std::span<rte_mbuf* const> burst, looked_up& into) noexcept {
    into.host.clear();
    counts_->lookups.add(1);
    counts_->looked_up.add(burst.size());
    gather(burst);
    find(batch4_, burst);
    find(batch6_, burst);
    if (packet_trace* const now = counts_->watch.trace(); unlikely(now != nullptr))
        trace(*now, burst);
    std::array<const next_hop_entry*, most_in_burst> entries;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        entries[i] = &(*tables_.hops)[hops_[i]];
        rte_prefetch0(entries[i]);
    }
    std::size_t forward = 0; // a local copy: in `into`, each packet would wait for the previous one
    for (std::size_t i = 0; i < burst.size(); ++i) {
        const next_hop_entry* entry = entries[i];
        if (likely(entry->kind == hop_kind::forward))
            note_next_hop(*burst[i], hops_[i]);
        else
            entry = sort_by_last_hop(burst[i], hops_[i], into);
        into.entries[forward] = entry;
        into.forward.data()[forward] = burst[i];
        forward += entry != nullptr;
    }
    into.forward.set_size(forward);
}

template <class A>
resolved_hop lookup_stage::follow(next_hop hop, A destination, std::uint32_t flow) const noexcept {
    const next_hop_entry* entry = &(*tables_.hops)[hop];
    if (entry->kind == hop_kind::group) {
        hop = next_hop{entry->buckets()[flow % group_buckets]};
        entry = &(*tables_.hops)[hop];
    }
    if (entry->kind == hop_kind::connected) {
        const next_hop known = tables_.neighbours->find(entry->interface, destination);
        if (known != next_hop::none) {
            hop = known;
            entry = &(*tables_.hops)[hop];
        }
    }
    return {hop, entry};
}

resolved_hop lookup_stage::find(ipv4_address to, std::uint32_t flow) noexcept {
    return follow(ipv4_.pin().lookup(to), to, flow);
}
resolved_hop lookup_stage::find(ipv6_address to, std::uint32_t flow) noexcept {
    return follow(ipv6_.pin().lookup(to), to, flow);
}

// Before the burst is sorted, which may free packets.
void lookup_stage::trace(packet_trace& in, std::span<rte_mbuf* const> burst) const noexcept {
    for (std::size_t i = 0; i < burst.size(); ++i) {
        trace_record* const record = in.record_of(*burst[i]);
        if (record == nullptr)
            continue;
        const std::uint32_t flow = flow_hash(*burst[i]);
        const resolved_hop last = is_ipv4(*burst[i]) ? follow(hops_[i], destination4(*burst[i]), flow)
                                                     : follow(hops_[i], destination6(*burst[i]), flow);
        const next_hop_entry& found = (*tables_.hops)[hops_[i]];
        trace_event event =
            counts_->watch.event(trace_step_kind::looked_up, static_cast<std::uint8_t>(last.entry->kind));
        event.first = hops_[i].id;
        event.member = found.kind == hop_kind::group ? found.buckets()[flow % group_buckets] : hops_[i].id;
        event.last = last.hop.id;
        event.port = last.entry->port;
        record->add(event);
    }
}

// Follows groups and neighbours of a hop that cannot forward. Returns the last entry, or nullptr when the
// packet was dropped or given to the host.
const next_hop_entry* lookup_stage::sort_by_last_hop(rte_mbuf* packet, next_hop hop,
                                                     looked_up& into) noexcept {
    const resolved_hop last = is_ipv4(*packet) ? follow(hop, destination4(*packet), flow_hash(*packet))
                                               : follow(hop, destination6(*packet), flow_hash(*packet));
    note_next_hop(*packet, last.hop);
    if (last.entry->kind == hop_kind::forward)
        return last.entry;
    if (last.entry->kind == hop_kind::blackhole) {
        drop(packet, drop_reason::blackhole, *counts_);
    } else {
        note_cause(*packet, cause_of(last.entry->kind));
        into.host.add(packet);
    }
    return nullptr;
}

} // namespace fingerpost::router
