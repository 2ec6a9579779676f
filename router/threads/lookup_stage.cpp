// Gathers the addresses of a burst, looks them up, and follows groups and neighbours to the last next hop.
#include "router/threads/lookup_stage.hpp"

#include <utility>

#include <rte_branch_prediction.h>
#include <rte_prefetch.h>

#include "router/packet/notes.hpp"

namespace fingerpost::router {
namespace {

ipv4_address destination4(const rte_mbuf& packet) noexcept {
    return ipv4_from(ipv4_header(packet).dst_addr);
}
ipv6_address destination6(const rte_mbuf& packet) noexcept {
    return ipv6_from(ipv6_header(packet).dst_addr);
}

// The packets of one family in a burst, by their positions in it.
template <class A>
struct family_batch {
    std::size_t size = 0;
    std::array<A, most_in_burst> addresses;
    std::array<std::uint8_t, most_in_burst> positions;
    std::array<next_hop, most_in_burst> hops;

    void add(A address, std::size_t position) noexcept {
        addresses[size] = address;
        positions[size++] = static_cast<std::uint8_t>(position);
    }
    void find(reader<A>& from, std::array<next_hop, most_in_burst>& into) noexcept {
        if (size == 0)
            return;
        from.pin().lookup(std::span(addresses.data(), size), std::span(hops.data(), size));
        for (std::size_t i = 0; i < size; ++i)
            into[positions[i]] = hops[i];
    }
};

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

void lookup_stage::run(std::span<rte_mbuf* const> burst, looked_up& into) noexcept {
    into.forward.clear();
    into.host.clear();
    counts_->lookups.add(1);
    counts_->looked_up.add(burst.size());
    family_batch<ipv4_address> ipv4;
    family_batch<ipv6_address> ipv6;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        const rte_mbuf& packet = *burst[i];
        if (is_ipv4(packet))
            ipv4.add(destination4(packet), i);
        else
            ipv6.add(destination6(packet), i);
    }
    std::array<next_hop, most_in_burst> hops;
    ipv4.find(ipv4_, hops);
    ipv6.find(ipv6_, hops);
    for (std::size_t i = 0; i < burst.size(); ++i)
        tables_.hops->prefetch(hops[i]);
    for (std::size_t i = 0; i < burst.size(); ++i)
        sort(burst[i], hops[i], into);
}

template <class A>
way lookup_stage::follow(next_hop hop, A destination, std::uint32_t flow) const noexcept {
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

way lookup_stage::find(ipv4_address to, std::uint32_t flow) noexcept {
    return follow(ipv4_.pin().lookup(to), to, flow);
}
way lookup_stage::find(ipv6_address to, std::uint32_t flow) noexcept {
    return follow(ipv6_.pin().lookup(to), to, flow);
}

void lookup_stage::sort(rte_mbuf* packet, next_hop hop, looked_up& into) noexcept {
    const next_hop_entry* entry = &(*tables_.hops)[hop];
    if (unlikely(entry->kind == hop_kind::group || entry->kind == hop_kind::connected)) {
        const way last = is_ipv4(*packet) ? follow(hop, destination4(*packet), flow_hash(*packet))
                                          : follow(hop, destination6(*packet), flow_hash(*packet));
        hop = last.hop;
        entry = last.entry;
    }
    note_next_hop(*packet, hop);
    if (likely(entry->kind == hop_kind::forward)) {
        into.entries[into.forward.size()] = entry;
        into.forward.add(packet);
    } else if (entry->kind == hop_kind::blackhole) {
        counts_->drop(drop_reason::blackhole);
        rte_pktmbuf_free(packet);
    } else {
        note_cause(*packet, cause_of(entry->kind));
        into.host.add(packet);
    }
}

} // namespace fingerpost::router
