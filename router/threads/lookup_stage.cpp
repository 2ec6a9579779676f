// Collects the addresses of a burst, looks them up, and follows groups and neighbours to the final next hop.
#include "router/threads/lookup_stage.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <rte_branch_prediction.h>
#include <rte_prefetch.h>

#include "fingerpost/base/reason.hpp"
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

} // namespace

expected<lookup_stage> lookup_stage::create(const forwarding_view& tables, const flow_key& flows,
                                            thread_counters& counts) noexcept try {
    auto first = tables.routes->reader();
    if (!first)
        return unexpected{first.error()};
    std::vector<ip_reader> others;
    for (ip_table* const of : tables.others) {
        auto reader = of->reader();
        if (!reader)
            return unexpected{reader.error()};
        others.push_back(std::move(*reader));
    }
    counts.hops = hop_hits(tables.hops->capacity());
    return lookup_stage(tables, flows, counts, std::move(*first), std::move(others));
} catch (...) {
    return unexpected{reason_of_exception()};
}

ip_reader& lookup_stage::reader_for(const rte_mbuf& packet) noexcept {
    return others_.empty() ? first_
                           : reader_for(tables_.vrfs->get().of(ingress_port(packet), vlan_of(packet)));
}

// Looks up the upper halves alone, unless the table has routes longer than /64.
void lookup_stage::look_up(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                           std::span<next_hop> out, ip_reader& in) noexcept {
    const ip_snapshot snapshot = in.pin();
    if (snapshot.lookup_first64(first, out) != errc::ok)
        snapshot.lookup_halves(first, low, out);
}

void lookup_stage::find_all(std::span<rte_mbuf* const> burst, const burst_headers& headers,
                            ip_reader& in) noexcept {
    const std::size_t count = burst.size();
    if (likely(headers.are_all_ipv6()))
        look_up(std::span(headers.first6).first(count), std::span(headers.low6).first(count), hops_, in);
    else if (headers.are_all_ipv4(count))
        in.pin().lookup(std::span(headers.to4).first(count), hops_);
    else
        find_mixed(burst, headers, in);
}

void lookup_stage::find_mixed(std::span<rte_mbuf* const> burst, const burst_headers& headers,
                              ip_reader& in) noexcept {
    mixed_burst& mixed = mixed_;
    std::size_t of_ipv4 = 0, of_ipv6 = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        if (is_ipv4(*burst[i])) {
            mixed.to4[of_ipv4] = headers.to4[i];
            mixed.positions4[of_ipv4++] = static_cast<std::uint8_t>(i);
        } else {
            mixed.first6[of_ipv6] = headers.first6[i];
            mixed.low6[of_ipv6] = headers.low6[i];
            mixed.positions6[of_ipv6++] = static_cast<std::uint8_t>(i);
        }
    }
    look_up(std::span(mixed.first6).first(of_ipv6), std::span(mixed.low6).first(of_ipv6), mixed.hops, in);
    for (std::size_t i = 0; i < of_ipv6; ++i)
        hops_[mixed.positions6[i]] = mixed.hops[i];
    in.pin().lookup(std::span(mixed.to4).first(of_ipv4), mixed.hops);
    for (std::size_t i = 0; i < of_ipv4; ++i)
        hops_[mixed.positions4[i]] = mixed.hops[i];
}

// Packets of a port usually belong to one VRF, but rings between threads mix the ports.
void lookup_stage::find_by_vrf(std::span<rte_mbuf* const> burst, const burst_headers& headers) noexcept {
    const vrf_map& map = tables_.vrfs->get();
    std::array<vrf_number, most_in_burst> vrfs;
    bool mixed = false;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        vrfs[i] = map.of(ingress_port(*burst[i]), vlan_of(*burst[i]));
        mixed |= vrfs[i] != vrfs[0];
    }
    if (!mixed) {
        if (!burst.empty())
            find_all(burst, headers, reader_for(vrfs[0]));
        return;
    }
    std::array<next_hop, most_in_burst> hops;
    std::array<std::uint8_t, most_in_burst> positions;
    burst_headers part_headers;
    // One bit for each packet not looked up yet.
    static_assert(most_in_burst <= 64);
    for (std::uint64_t left = ~std::uint64_t{0} >> (64 - burst.size()); left != 0;) {
        packet_list part;
        part_headers.clear();
        const vrf_number vrf = vrfs[static_cast<std::size_t>(std::countr_zero(left))];
        for (std::uint64_t rest = left; rest != 0; rest &= rest - 1) {
            const auto i = static_cast<std::uint8_t>(std::countr_zero(rest));
            if (vrfs[i] != vrf)
                continue;
            positions[part.size()] = i;
            part_headers.put(part.size(), *burst[i]);
            part.add(burst[i]);
            left &= ~(std::uint64_t{1} << i);
        }
        find_all(part.span(), part_headers, reader_for(vrf));
        for (std::size_t i = 0; i < part.size(); ++i)
            hops[positions[i]] = hops_[i];
    }
    std::copy_n(hops.begin(), burst.size(), hops_.begin());
}

packet_sample lookup_stage::sample_of(const rte_mbuf& packet) const noexcept {
    const vrf_number vrf =
        others_.empty() ? default_vrf : tables_.vrfs->get().of(ingress_port(packet), vlan_of(packet));
    return {is_ipv4(packet) ? any_address(destination4(packet)) : destination6(packet), vrf};
}

void lookup_stage::run(std::span<rte_mbuf* const> burst, burst_headers& headers, looked_up& into) noexcept {
    into.host.clear();
    counts_->lookups.add(1);
    counts_->looked_up.add(burst.size());
    if (likely(others_.empty()))
        find_all(burst, headers, first_);
    else
        find_by_vrf(burst, headers);
    counts_->hops.add(std::span(hops_).first(burst.size()));
    counts_->samples.pass(burst.size(), [&](std::size_t i) { return sample_of(*burst[i]); });
    if (packet_trace* const trace_in_progress = counts_->watch.trace();
        unlikely(trace_in_progress != nullptr))
        trace(*trace_in_progress, burst);
    unsigned others = 0;
    const next_hop_table::reading table = tables_.hops->read();
    for (std::size_t i = 0; i < burst.size(); ++i) {
        const next_hop_entry& entry = table[hops_[i]];
        into.entries[i] = &entry;
        note_next_hop(*burst[i], hops_[i]);
        others |= static_cast<unsigned>(entry.kind);
    }
    into.forward = burst;
    if (unlikely(others != 0))
        sort(burst, headers, into);
}

// Follows groups and neighbours, and removes packets that are not forwarded.
void lookup_stage::sort(std::span<rte_mbuf* const> burst, burst_headers& headers, looked_up& into) noexcept {
    std::size_t forward =
        0; // a local copy: as a member of `into` it would make each packet wait for the previous one
    std::uint32_t of_ipv4 = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        const next_hop_entry* entry = into.entries[i];
        const bool ipv4 = is_ipv4(*burst[i]);
        if (entry->kind != hop_kind::forward)
            entry = sort_by_last_hop(burst[i], hops_[i], into);
        into.entries[forward] = entry;
        into.rest.data()[forward] = burst[i];
        headers.ip[forward] = headers.ip[i];
        forward += entry != nullptr;
        of_ipv4 += static_cast<std::uint32_t>(ipv4 && entry != nullptr);
    }
    headers.ipv4 = of_ipv4;
    into.rest.set_size(forward);
    into.forward = into.rest.span();
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

resolved_hop lookup_stage::find(ipv4_address to, const rte_mbuf& like) noexcept {
    return follow(reader_for(like).pin().lookup(to), to, flow_hash(like));
}
resolved_hop lookup_stage::find(ipv6_address to, const rte_mbuf& like) noexcept {
    return follow(reader_for(like).pin().lookup(to), to, flow_hash(like));
}

// Must run before the burst is sorted, because sorting may free packets.
void lookup_stage::trace(packet_trace& in, std::span<rte_mbuf* const> burst) const noexcept {
    for (std::size_t i = 0; i < burst.size(); ++i) {
        trace_record* const record = in.record_of(*burst[i]);
        if (record == nullptr)
            continue;
        note_flow(*burst[i], flows_);
        const std::uint32_t flow = flow_hash(*burst[i]);
        record->flow = flow;
        const resolved_hop last = is_ipv4(*burst[i]) ? follow(hops_[i], destination4(*burst[i]), flow)
                                                     : follow(hops_[i], destination6(*burst[i]), flow);
        const next_hop_entry& entry = (*tables_.hops)[hops_[i]];
        trace_event event =
            counts_->watch.event(trace_step_kind::looked_up, static_cast<std::uint8_t>(last.entry->kind));
        event.first = hops_[i].id;
        event.member = entry.kind == hop_kind::group ? entry.buckets()[flow % group_buckets] : hops_[i].id;
        event.last = last.hop.id;
        event.port = last.entry->port;
        record->add(event);
    }
}

// Follows groups and neighbours of a hop that cannot forward. Returns the last entry, or nullptr if the
// packet was dropped or passed to the host.
const next_hop_entry* lookup_stage::sort_by_last_hop(rte_mbuf* packet, next_hop hop,
                                                     looked_up& into) noexcept {
    note_flow(*packet, flows_);
    const resolved_hop last = is_ipv4(*packet) ? follow(hop, destination4(*packet), flow_hash(*packet))
                                               : follow(hop, destination6(*packet), flow_hash(*packet));
    note_next_hop(*packet, last.hop);
    if (last.hop != hop)
        counts_->hops.add(last.hop);
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
